import type { ExecutionEvent } from '@noetl/engine';
import { type Json, migratePlaybook, readPlaybook } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import type { ToolScript } from './case.testing.ts';
import { runCase } from './run-case.testing.ts';

/** What a run of a migrated playbook came to. */
interface Ran {
  /** Steps in the order in which their runs ended, failures with an exclamation mark. */
  readonly steps: readonly string[];
  /** How often each task began, by `step.task`. */
  readonly begun: Readonly<Record<string, number>>;
  readonly status: string;
  readonly result: Json;
  /** What the results of steps were, as later steps see them. */
  readonly results: Readonly<Record<string, Json>>;
  readonly ctx: Readonly<Record<string, Json>>;
}

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: p }\nworkflow:\n';

async function run(steps: string, tools: readonly ToolScript[]): Promise<Ran> {
  const { text, problems } = migratePlaybook(HEAD + steps, { file: 'p.yaml' });
  expect(problems).toEqual([]);
  const { playbook, diagnostics } = readPlaybook(text, { file: 'p.yaml' });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  if (playbook === undefined) throw new Error('the migrated playbook is not valid');
  const { events } = await runCase({
    name: 'migrated',
    script: { sentence: '', tools },
    playbook,
    editedPlaybook: undefined,
    expected: [],
    expectedFork: undefined,
  });
  return ranBy(events);
}

function ranBy(events: readonly ExecutionEvent[]): Ran {
  const steps: string[] = [];
  const begun: Record<string, number> = {};
  const results: Record<string, Json> = {};
  const ctx: Record<string, Json> = {};
  for (const { name, payload, task_label } of events) {
    const told = payload as Readonly<Record<string, Json>>;
    const step = String(told.step ?? '');
    if (name === 'task.started') begun[`${step}.${task_label}`] = (begun[`${step}.${task_label}`] ?? 0) + 1;
    if (name === 'step.done' || name === 'loop.done') {
      steps.push(step);
      results[step] = told.result ?? null;
    }
    if (name === 'step.failed') steps.push(`${step}!`);
    if (name === 'ctx.patched') Object.assign(ctx, told.patch);
  }
  const end = events.find(({ name }) => name === 'playbook.processed')?.payload as Readonly<Record<string, Json>>;
  return { steps, begun, status: String(end.status), result: end.result ?? null, results, ctx };
}

const CASE = `
  - step: start
    tool: { kind: http, url: http://localhost }
    case:
      - when: "{{ event.name == 'call.done' and response.status_code == 200 }}"
        then: { next: [{ step: small }] }
      - when: "{{ event.name == 'step.exit' and response.status_code < 300 }}"
        then: { next: [{ step: large }] }
      - when: "{{ event.name == 'call.error' and error.status == 404 }}"
        then: { next: [{ step: missing }] }
    next: other
  - step: small
  - step: large
  - step: missing
  - step: other
`;

const answer = (status: number, data: Json = null): Pick<ToolScript, 'ok' | 'http'> => ({
  ok: { status, data },
  http: { status },
});

describe('MIG-2: what a migrated flow does when it runs', () => {
  it.each([
    ['the first entry of case that holds', answer(200), ['start', 'small'], 'success'],
    ['a later one', answer(201), ['start', 'large'], 'success'],
    ["the step's own next where none does", answer(300), ['start', 'other'], 'success'],
    [
      'a failure that an entry waits for',
      { ...answer(404), error: { kind: 'http.status', details: { status: 404 } } },
      ['start!', 'missing'],
      'success',
    ],
    [
      'no step after a failure that none waits for',
      { ...answer(500), error: { kind: 'http.status' } },
      ['start!'],
      'error',
    ],
  ])('takes %s', async (_, tool, steps, status) => {
    expect(await run(CASE, [tool])).toMatchObject({ steps, status });
  });

  it('takes all steps of the entry that holds, and no other', async () => {
    const steps = `
  - step: start
    case:
      - when: "{{ workload.hot is not defined }}"
        then: { next: [{ step: a }, { step: b }] }
    next: c
  - step: a
  - step: b
  - step: c
`;
    expect((await run(steps, [])).steps).toEqual(['start', 'a', 'b']);
  });

  const RETRY = `
  - step: start
    tool: { kind: http, url: http://localhost }
    retry:
      max_attempts: 3
      initial_delay: 0.5
      backoff_multiplier: 3
      retry_when: "{{ status_code == 503 }}"
`;
  const failing = (status: number): ToolScript => ({ ...answer(status), error: { kind: 'http.status' } });

  it.each([
    ['until it is well', [{ ...failing(503), attempt: 1 }, answer(200)], 2, 'success'],
    ['as often as max_attempts says', [failing(503)], 3, 'error'],
    ['not for what retry_when does not name', [failing(500)], 1, 'error'],
  ])('tries again %s', async (_, tools, times, status) => {
    expect(await run(RETRY, tools)).toMatchObject({ begun: { 'start.task_1': times }, status });
  });

  it('goes on with the last answer when stop_when never held', async () => {
    const steps = `
  - step: start
    tool: { kind: http, url: http://localhost }
    retry: { max_attempts: 2, initial_delay: 0.1, stop_when: "{{ result.state == 'ready' }}" }
`;
    const ran = await run(steps, [answer(200, { state: 'busy' })]);
    expect(ran).toMatchObject({
      begun: { 'start.task_1': 2 },
      status: 'success',
      results: { start: { data: { state: 'busy' } } },
    });
  });

  const SINK = `
  - step: start
    tool: { kind: python, code: result = 1 }
    vars: { total: "{{ result.total }}" }
    sink:
      tool: { kind: http, url: http://localhost, json: { total: "{{ vars.total }}" } }
      when: "{{ result.total > 0 }}"
    next: end
  - step: end
    tool: { kind: noop, result: "{{ start.total }} {{ vars.total }}" }
`;

  it.each([
    ["stores, and keeps the step's result", 5, { 'start.start': 1, 'start.sink': 1 }],
    ['stores nothing where its condition does not hold', 0, { 'start.start': 1 }],
  ])('a sink %s', async (_, total, begun) => {
    const ran = await run(SINK, [
      { task: 'start', ok: { total } },
      { task: 'sink', ...answer(200) },
    ]);
    expect(ran.begun).toMatchObject(begun);
    expect(ran).toMatchObject({ results: { start: { total }, end: `${total} ${total}` }, ctx: { total } });
  });

  it('a sink that fails fails its step', async () => {
    const ran = await run(SINK, [
      { task: 'start', ok: { total: 1 } },
      { task: 'sink', error: { kind: 'http.connect' } },
    ]);
    expect(ran).toMatchObject({ steps: ['start!'], status: 'error' });
  });

  it('a step at which branches meet runs once', async () => {
    const steps = `
  - step: start
    next: [a, b]
  - step: a
    next: meet
  - step: b
    tool: { kind: noop }
    next: meet
  - step: meet
`;
    expect((await run(steps, [{ step: 'b', takes: 2 }])).steps).toEqual(['start', 'a', 'b', 'meet']);
  });

  it('fetches pages while there are more, and gives what they held', async () => {
    const steps = `
  - step: start
    tool: { kind: http, url: http://localhost, params: { page: 1 } }
    retry:
      on_success:
        while: "{{ response.paging.more }}"
        max_attempts: 3
        next_call: { params: { page: "{{ response.paging.page + 1 }}" } }
        collect: { strategy: append, path: data, into: pages }
`;
    const page = (visit: number): ToolScript => ({
      task: 'start',
      visit,
      ...answer(200, { data: [visit], paging: { more: true, page: visit } }),
    });
    const ran = await run(steps, [page(1), page(2), page(3)]);
    expect(ran).toMatchObject({ begun: { 'start.start': 3 }, result: [1, 2, 3], ctx: { start_page: 3 } });
  });

  it('keeps what was kept of a loop as a whole', async () => {
    const steps = `
  - step: start
    loop: { in: "{{ [1, 2] }}", iterator: n, mode: sequential }
    tool: { kind: noop, result: "{{ n * 10 }}" }
    vars: { all: "{{ result }}" }
    next: end
  - step: end
    tool: { kind: noop, result: "{{ vars.all }}" }
`;
    expect(await run(steps, [])).toMatchObject({ steps: ['start', 'start_vars', 'end'], result: [10, 20] });
  });

  it('does for each item what stood between a loop and its end', async () => {
    const steps = `
  - step: start
    loop: { in: "{{ [1, 2] }}", iterator: n }
    next: [{ step: double }]
  - step: double
    tool: { kind: noop, result: "{{ n * 2 }}" }
    next: [{ step: more }]
  - step: more
    tool: { kind: noop, result: "{{ double + 1 }}" }
    next: [{ step: all }]
  - step: all
    end_loop: start
    result: { doubles: "{{ start_results | map(attribute='double') | list }}", sums: "{{ start_results | map(attribute='more') | list }}" }
    next: [{ step: end }]
  - step: end
    tool: { kind: noop, result: "{{ sums }}" }
`;
    const ran = await run(steps, []);
    expect(ran).toMatchObject({ steps: ['start', 'all', 'end'], result: [3, 5], ctx: { doubles: [2, 4] } });
  });
});
