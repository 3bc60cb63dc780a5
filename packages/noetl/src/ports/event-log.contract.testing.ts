import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventLog } from './event-log.ts';
import { eventLogModelContract } from './event-log-model.contract.testing.ts';
import { iterationsContract } from './iterations.contract.testing.ts';
import { leasesContract } from './leases.contract.testing.ts';
import { append, type LogUnderTest } from './log-under-test.testing.ts';
import { milestonesContract } from './milestones.contract.testing.ts';
import { note, notes } from './sample-events.testing.ts';

/** A log under test. It starts empty or with other people's executions: tests use ids of their own. */
export interface OpenedLog {
  readonly log: EventLog;
  /** Lets time pass on the log's clock, at least so many milliseconds. */
  pass(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

/** What every event log promises. */
export function eventLogContract(name: string, open: () => Promise<OpenedLog>): void {
  describe(`the event log (${name})`, () => {
    let opened: OpenedLog;
    let executions = 0;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    const started = `x${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
    const test: LogUnderTest = {
      get log() {
        return opened.log;
      },
      pass: (milliseconds) => opened.pass(milliseconds),
      fresh: () => `${started}-${++executions}`,
    };
    appendContract(test);
    readContract(test);
    iterationsContract(test);
    milestonesContract(test);
    leasesContract(test);
    eventLogModelContract(test);
  });
}

const APPENDED = { kind: 'appended' };
const CONFLICT = { kind: 'conflict' };

function appendContract(test: LogUnderTest): void {
  describe('append', () => {
    it('keeps events in the order of their positions', async () => {
      const execution = test.fresh();
      expect(await test.log.append([append(execution, 0, { events: notes(execution, 0, 3) })])).toEqual([APPENDED]);
      expect(await test.log.append([append(execution, 3, { events: notes(execution, 3, 2) })])).toEqual([APPENDED]);
      expect(await test.log.read(execution, 0, 10)).toEqual(notes(execution, 0, 5));
      expect(await test.log.position(execution)).toBe(5);
    });

    it('on a position that has moved on changes nothing', async () => {
      const execution = test.fresh();
      await test.log.append([append(execution, 0, { events: notes(execution, 0, 2) })]);
      const late = append(execution, 1, { events: [note(execution, 2, 'late'), note(execution, 3, 'late')] });
      expect(await test.log.append([late])).toEqual([CONFLICT]);
      expect(await test.log.read(execution, 0, 10)).toEqual(notes(execution, 0, 2));
    });

    it('on a position that is not reached yet changes nothing', async () => {
      const execution = test.fresh();
      expect(await test.log.append([append(execution, 1)])).toEqual([CONFLICT]);
      expect(await test.log.position(execution)).toBe(0);
    });

    it('delivered twice is kept once', async () => {
      const execution = test.fresh();
      const twice = append(execution, 0, { events: notes(execution, 0, 3) });
      expect([await test.log.append([twice]), await test.log.append([twice])]).toEqual([[APPENDED], [CONFLICT]]);
      expect(await test.log.read(execution, 0, 10)).toEqual(notes(execution, 0, 3));
    });

    it('that is refused does not hold up the others of the batch', async () => {
      const [one, two, three] = [test.fresh(), test.fresh(), test.fresh()];
      const batch = [append(one, 0), append(two, 7), append(three, 0)];
      expect(await test.log.append(batch)).toEqual([APPENDED, CONFLICT, APPENDED]);
      expect(await Promise.all([one, two, three].map((execution) => test.log.position(execution)))).toEqual([1, 0, 1]);
    });

    it('may follow another of its execution in the same batch, and falls with it', async () => {
      const [one, two] = [test.fresh(), test.fresh()];
      const pipelined = (execution: string, first: number) => [append(execution, first), append(execution, first + 1)];
      const answers = await test.log.append([...pipelined(one, 0), ...pipelined(two, 1)]);
      expect(answers).toEqual([APPENDED, APPENDED, CONFLICT, CONFLICT]);
      expect(await test.log.read(one, 0, 10)).toEqual(notes(one, 0, 2));
      expect(await test.log.position(two)).toBe(0);
    });

    it('that was decided on another one falls with it, also where something else has reached its position', async () => {
      const execution = test.fresh();
      const instead = append(execution, 0, { events: [note(execution, 1, 'somebody else was first')] });
      const first = append(execution, 0, { id: 1 });
      const second = append(execution, 1, { id: 2, after: 1 });
      const answers = [...(await test.log.append([instead])), ...(await test.log.append([first, second]))];
      expect(answers).toEqual([APPENDED, CONFLICT, CONFLICT]);
      expect(await test.log.position(execution)).toBe(1);
      const again = [append(execution, 1, { id: 3 }), append(execution, 2, { id: 4, after: 3 })];
      expect(await test.log.append(again)).toEqual([APPENDED, APPENDED]);
    });

    it('of nothing checks its terms and changes nothing', async () => {
      const execution = test.fresh();
      expect(await test.log.append([])).toEqual([]);
      expect(await test.log.append([append(execution, 0, { events: [] })])).toEqual([APPENDED]);
      expect(await test.log.append([append(execution, 1, { events: [] })])).toEqual([CONFLICT]);
      expect(await test.log.position(execution)).toBe(0);
    });

    it('of events with a gap, or of another execution, fails and keeps nothing of its batch', async () => {
      const [good, execution] = [test.fresh(), test.fresh()];
      const wrong = [[note(execution, 2)], [note(execution, 1), note(execution, 3)], [note(good, 1)]];
      for (const events of wrong) {
        await expect(test.log.append([append(good, 0), append(execution, 0, { events })])).rejects.toThrow(
          'was to be appended as',
        );
      }
      expect(await test.log.position(good)).toBe(0);
      expect(await test.log.position(execution)).toBe(0);
    });

    it('wins once among 50 on the same position', async () => {
      const execution = test.fresh();
      const rivals = Array.from({ length: 50 }, (_, rival) =>
        append(execution, 0, { events: [note(execution, 1, rival), note(execution, 2, rival)] }),
      );
      const answers = (await Promise.all(rivals.map((rival) => test.log.append([rival])))).flat();
      const winner = answers.findIndex(({ kind }) => kind === 'appended');
      expect(answers.filter(({ kind }) => kind === 'conflict')).toHaveLength(49);
      expect(await test.log.read(execution, 0, 10)).toEqual(rivals[winner]?.events);
    });

    it('loses nothing to 20 others that try until they succeed', async () => {
      const execution = test.fresh();
      const writers = Array.from({ length: 20 }, async (_, writer) => {
        for (;;) {
          const position = await test.log.position(execution);
          const events = [note(execution, position + 1, writer)];
          const [answer] = await test.log.append([append(execution, position, { events })]);
          if (answer?.kind === 'appended') return;
        }
      });
      await Promise.all(writers);
      const written = await test.log.read(execution, 0, 100);
      expect(written.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      expect(new Set(written.map((event) => JSON.stringify(event.payload))).size).toBe(20);
    });
  });
}

function readContract(test: LogUnderTest): void {
  describe('read', () => {
    it('gives pages from behind a position', async () => {
      const execution = test.fresh();
      await test.log.append([append(execution, 0, { events: notes(execution, 0, 7) })]);
      expect(await test.log.read(execution, 0, 3)).toEqual(notes(execution, 0, 3));
      expect(await test.log.read(execution, 3, 3)).toEqual(notes(execution, 3, 3));
      expect(await test.log.read(execution, 6, 3)).toEqual(notes(execution, 6, 1));
      expect(await test.log.read(execution, 7, 3)).toEqual([]);
      expect(await test.log.read(execution, 99, 3)).toEqual([]);
    });

    it('knows nothing of an execution that does not exist', async () => {
      const execution = test.fresh();
      expect(await test.log.read(execution, 0, 3)).toEqual([]);
      expect(await test.log.position(execution)).toBe(0);
    });

    it('keeps executions apart, also where one id begins with another', async () => {
      const one = test.fresh();
      const others = [`${one}-1`, `${one}:1`, `${one}%`, one.toUpperCase()];
      await test.log.append([one, ...others].map((execution) => append(execution, 0)));
      for (const execution of [one, ...others]) {
        expect(await test.log.read(execution, 0, 9)).toEqual(notes(execution, 0, 1));
      }
    });

    it('gives events back byte for byte', async () => {
      const execution = test.fresh();
      const odd = [
        { b: 1, a: 2, 10: 'ten', 9: 'nine', '': null },
        '\u0000 \ud800 \u2028 𝄞 "\\',
        [0.1, 1e21, -1e-7, 2 ** 53],
        JSON.parse('{"__proto__":{"x":1},"constructor":null}'),
        'x'.repeat(100_000),
      ];
      const events = odd.map((text, index) => note(execution, index + 1, text));
      await test.log.append([append(execution, 0, { events })]);
      expect((await test.log.read(execution, 0, 9)).map((event) => JSON.stringify(event))).toEqual(
        events.map((event) => JSON.stringify(event)),
      );
    });

    it('gives what was appended, whatever callers do to their values afterwards', async () => {
      const execution = test.fresh();
      const value = { list: [1] };
      await test.log.append([append(execution, 0, { events: [note(execution, 1, value)] })]);
      value.list.push(2);
      const [first] = await test.log.read(execution, 0, 1);
      Object.assign(first?.payload ?? {}, { payload: 'other' });
      expect(await test.log.read(execution, 0, 1)).toEqual([note(execution, 1, { list: [1] })]);
    });
  });
}
