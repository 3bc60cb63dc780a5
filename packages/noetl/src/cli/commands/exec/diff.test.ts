import type { ExecutionEvent } from '@noetl/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Recording, record } from '../../views/recorded.testing.ts';
import { recordFailure, recordWeather } from '../../views/weather.testing.ts';
import { openStoredExecutions, type StoredExecutions } from './stored-executions.testing.ts';

const WORK = `workload: { rows: [1, 2, 3] }
workflow:
  - step: start
    tool:
      - read:
          kind: http
          url: https://example.org
          spec: { policy: { rules: [{ when: "{{ outcome.status == 'error' }}", then: { do: retry, delay: 0 } }, { else: { then: { do: continue, set_ctx: { n: "{{ outcome.result.data.n }}" } } } }] } }
    next: { arcs: [{ step: many, when: "{{ ctx.n > 1 }}" }, { step: few }] }
  - step: many
    loop: { in: "{{ workload.rows }}", iterator: row, spec: { mode: parallel, policy: { failure: best_effort } } }
    tool: { kind: noop }
  - { step: few, tool: { kind: noop } }
`;

interface Ways {
  readonly n?: number;
  readonly fails?: number;
  readonly rows?: (index: number) => number;
  readonly ms?: number;
}

/** The same work, with headers that are never the same. */
function work({ n = 5, fails = 0, rows = (index) => index, ms = 100 }: Ways = {}): Recording {
  return record(WORK, {
    tools: {
      'start.read': ({ attempt }) =>
        attempt <= fails
          ? { error: { kind: 'http.status', message: '503' }, ms }
          : { result: { status: 200, headers: { date: String(Math.random()) }, data: { n } }, ms },
      'many.task_1': ({ path: [index = 0] }) => ({ result: rows(index), ms }),
    },
  });
}

describe('exec diff', () => {
  let stored: StoredExecutions;
  beforeAll(async () => {
    stored = openStoredExecutions();
    await stored.keep('one', work());
    await stored.keep('two', work({ ms: 250 }));
    await stored.keep('other', work({ n: 1 }));
    await stored.keep('retried', work({ fails: 1 }));
    await stored.keep('rows', work({ rows: (index) => (index === 1 ? 99 : index) }));
    await stored.keep('weather', recordWeather());
    await stored.keep('failure', recordFailure());
  });
  afterAll(() => stored.close());

  it('finds equal what came to the same by the same ways, however long it took and whatever its ids', async () => {
    const { stdout, exitCode } = await stored.exec(['diff', 'one', 'two']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "A  one  demo/weather  success  400 ms  28 events
      B  two  demo/weather  success  1.0 s   28 events

      equal: the same arcs, outcomes and ctx

      STEP   RUNS A  B  FAILED A  B  TIME A       B    B - A
      start       1  1         0  0  100 ms  250 ms  +150 ms
      many        1  1         0  0  300 ms  750 ms  +450 ms
      "
    `);
    expect(await stored.exec(['diff', 'weather', 'weather'])).toMatchObject({ exitCode: 0 });
  });

  it('shows the first difference in full, then the rest, then arcs, ctx and durations', async () => {
    const { stdout, exitCode } = await stored.exec(['diff', 'one', 'other']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatchInlineSnapshot(`
      "A  one    demo/weather  success  400 ms  28 events
      B  other  demo/weather  success  100 ms  18 events

      first difference: start.read  (A: event 7, B: event 7)
                               A  B
        outcome.result.data.n  5  1
        set_ctx.n              5  1

      then
        many only in A  (A: event 11)
        few only in B  (B: event 11)
        the result: result [0,1,2] | null  (A: event 28, B: event 18)

      STEP   RUNS A  B  FAILED A  B  TIME A       B  B - A
      start       1  1         0  0  100 ms  100 ms  +0 ms
      many        1  –         0  –  300 ms       –
      few         –  1         –  0       –    0 ms

      ARC           TAKEN A  B
      start → many        1  0
      start → few         0  1

      CTX  A  B
      n    5  1
      "
    `);
  });

  it('matches attempts, visits and iterations by what they are', async () => {
    const retried = await stored.exec(['diff', 'one', 'retried']);
    expect(retried.stdout).toMatchInlineSnapshot(`
      "A  one      demo/weather  success  400 ms  28 events
      B  retried  demo/weather  success  500 ms  30 events

      first difference: start.read  (A: event 7, B: event 7)
                        A                          B
        outcome.status  "ok"                       "error"
        outcome.result  {"status":200,"data":{"n…  null
        outcome.error   –                          {"kind":"http.status","r…
        directive.do    "continue"                 "retry"
        directive.rule  1                          0
        next.kind       "done"                     "retry"
        next.seconds    –                          0
        set_ctx         {"n":5}                    –

      STEP   RUNS A  B  FAILED A  B  TIME A       B    B - A
      start       1  1         0  0  100 ms  200 ms  +100 ms
      many        1  1         0  0  300 ms  300 ms    +0 ms
      "
    `);
    const { stdout } = await stored.exec(['diff', 'one', 'rows', '--json']);
    const { differences } = JSON.parse(stdout);
    expect(differences).toMatchObject([
      { what: 'task', step: 'many', iteration: '1', places: [{ path: 'outcome.result', a: 1, b: 99 }] },
      { what: 'result', places: [{ path: 'result[1]', a: 1, b: 99 }] },
    ]);
  });

  it('is the same the other way round, with A and B exchanged', async () => {
    const [there, back] = await Promise.all(
      [
        ['one', 'retried'],
        ['retried', 'one'],
      ].map(async (ids) => JSON.parse((await stored.exec(['diff', ...ids, '--json'])).stdout)),
    );
    const keys = ({ differences }: { differences: { what: string; step: string }[] }) =>
      differences.map(({ what, step }) => [what, step]);
    expect(keys(back)).toEqual(keys(there));
    expect(back.difference_count).toBe(there.difference_count);
    expect(back.a).toEqual(there.b);
  });

  it('says how many differences it does not show', async () => {
    const { stdout } = await stored.exec(['diff', 'weather', 'failure', '--limit', '2']);
    expect(stdout).toContain('The playbooks are not the same.\n');
    expect(stdout).toMatch(/^and \d+ more differences: noetl exec diff weather failure --limit 20 --data /m);
  });

  it('compares a fork with what its origin did: equal up to the fork, then as it went on', async () => {
    const { events } = work();
    const at = events.findIndex(({ name }) => name === 'next.evaluated') + 1;
    const forked = forkOf(events, at);
    await stored.append('same-fork', forked('same-fork', {}));
    await stored.append('edited', forked('edited', { ctx: { n: 7 } }));
    expect(await stored.exec(['diff', 'one', 'same-fork'])).toMatchObject({ exitCode: 0 });
    const { stdout, exitCode } = await stored.exec(['diff', 'one', 'edited']);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`first difference: what the fork changed only in B  (B: event 1)\n  {"ctx":{"n":7}}\n`);
    expect(stdout).toMatch(/^n {4}5 {2}7$/m);
    expect(await stored.exec(['diff', 'same-fork', 'edited'])).toMatchObject({ exitCode: 1 });
  });

  it('says that the origin of a fork is gone', async () => {
    const { events } = work();
    const fork = forkOf(events, 9)('orphan', {}).map((event) =>
      event.name === 'playbook.execution.requested'
        ? { ...event, payload: { ...event.payload, origin: { execution_id: 'gone', seq: 9 } } }
        : event,
    );
    await stored.append('orphan', fork);
    const { stdout } = await stored.exec(['diff', 'one', 'orphan']);
    expect(stdout).toContain('The origin gone is not kept any more');
  });

  it('lets no text steer the terminal', async () => {
    const evil = '\u001b[2J\u202e';
    await stored.keep('evil', work({ rows: () => evil as unknown as number }));
    const { stdout } = await stored.exec(['diff', 'one', 'evil']);
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u);
  });

  it('knows both or neither', async () => {
    expect(await stored.exec(['diff', 'one', 'nobody'])).toMatchObject({ exitCode: 2, stdout: '' });
  });
});

/** The log of a fork of `one` that goes on as its origin did. */
const forkOf = (events: readonly ExecutionEvent[], at: number) => (id: string, edits: object) => {
  const [requested, ...rest] = [events[0], ...events.slice(at)];
  const origin = { execution_id: 'one', seq: at };
  const own = [
    { ...requested, payload: { ...requested?.payload, payload: null, origin, edits } },
    { ...requested, name: 'execution.forked', payload: { state: {} } },
    ...rest,
  ];
  return own.map((event, index) => ({
    ...JSON.parse(JSON.stringify(event), (_, value) =>
      typeof value === 'string' ? value.replace(/^e(?=[:-]\d|$)/, id) : value,
    ),
    event_id: `${id}:${index + 1}`,
    execution_id: id,
    seq: index + 1,
  })) as ExecutionEvent[];
};
