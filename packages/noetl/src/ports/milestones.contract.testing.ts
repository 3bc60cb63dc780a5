import { type ExecutionEvent, type Milestone, milestoneOf } from '@noetl/engine';
import { describe, expect, it } from 'vitest';
import { FIRST_EVENTS } from './event-log.ts';
import { append, type LogUnderTest } from './log-under-test.testing.ts';
import { iterationDone, iterationFailed, notes, stepDone } from './sample-events.testing.ts';

/** What every event log promises about milestones. */
export function milestonesContract(test: LogUnderTest): void {
  /** Mostly iterations, with a story in between, appended a few at a time. */
  async function written(execution: string): Promise<readonly ExecutionEvent[]> {
    const begun = notes(execution, 0, FIRST_EVENTS - 10);
    const mixed = Array.from({ length: 3_000 }, (_, nth): ExecutionEvent => {
      const seq = FIRST_EVENTS - 9 + nth;
      if (nth % 40 === 7 || (nth > 500 && nth < 1_200)) return stepDone(execution, seq, '3');
      return nth % 50 === 13 ? iterationFailed(execution, seq, `1:${nth}`) : iterationDone(execution, seq, `1:${nth}`);
    });
    await test.log.append([append(execution, 0, { events: begun })]);
    for (let from = 0; from < mixed.length; from += 250) {
      const events = mixed.slice(from, from + 250);
      await test.log.append([append(execution, begun.length + from, { events })]);
    }
    return [...begun, ...mixed];
  }

  async function all(execution: string, kind: Milestone, from: number): Promise<readonly ExecutionEvent[]> {
    const found: ExecutionEvent[] = [];
    for (let after = from; ; ) {
      const page = (await test.log.milestones(execution, kind, after)) ?? [];
      found.push(...page);
      const last = page.at(-1);
      if (last === undefined) return found;
      after = last.seq;
    }
  }

  describe('milestones', () => {
    it('are found behind any position, each once and in order, but for those of a log that is short', async () => {
      const execution = test.fresh();
      const log = await written(execution);
      for (const kind of ['story', 'trouble'] as const) {
        for (const from of [0, FIRST_EVENTS, FIRST_EVENTS + 1, FIRST_EVENTS + 777, log.length - 1, log.length]) {
          const expected = log.slice(Math.max(from, FIRST_EVENTS)).filter((event) => milestoneOf(event) === kind);
          expect(await all(execution, kind, from)).toEqual(expected);
        }
      }
    });

    it('of an execution that does not exist are none', async () => {
      expect(await test.log.milestones(test.fresh(), 'story', 0)).toEqual([]);
    });
  });
}
