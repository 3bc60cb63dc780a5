import { type ExecutionState, encodeState, failure, initialState, type Plan, planOf } from '@noetl/engine';
import { type JsonMap, readPlaybook } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import { createMemoryResults } from '../results/memory.ts';
import { catchUp } from '../server/informed-decision.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import { openRuntime, type Runtime, type RuntimeOptions } from './embedded-runtime.ts';
import { systemClock } from './system-clock.ts';

function planFrom(workflow: string): Plan {
  const { playbook } = readPlaybook(`apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\n${workflow}`, {
    file: 't.yaml',
  });
  if (playbook === undefined) throw new Error('the playbook of the test is not valid');
  return planOf(playbook);
}

const runtimeOn = (
  ports: Pick<RuntimeOptions, 'log' | 'results' | 'snapshots'>,
  committed: RuntimeOptions['committed'],
): Runtime =>
  openRuntime({
    ...ports,
    clock: systemClock,
    worker: 'w',
    slots: 8,
    childPlans: { find: () => Promise.reject(new Error('nothing is called')), of: async () => undefined },
    credentials: { resolve: async () => undefined, forget: () => undefined },
    tools: async (call) =>
      call.task.kind === 'noop'
        ? { status: 'ok', result: call.input.result ?? null }
        : { status: 'error', result: null, error: failure('tool.unavailable', call.task.kind) },
    lend: () => ({ context: { log: () => undefined, folder: '.', environment: {} }, done: () => undefined }),
    secretsOf: () => ({ keychain: {}, redact: (value) => value }),
    committed,
  });

const REQUEST = { execution_id: 'x', path: 't', version: null, content_hash: 'h' };

/** Runs a workflow to its end, with the log checked against the live state. */
async function run(workflow: string, payload: JsonMap = {}) {
  const { log, snapshots } = createMemoryStore(systemClock);
  const results = createMemoryResults();
  let live: ExecutionState = initialState;
  const runtime = runtimeOn({ log, results, snapshots }, (_events, state) => {
    live = state;
  });
  await runtime.executions.start(planFrom(workflow), { ...REQUEST, payload });
  const end = await runtime.executions.over('x');
  await runtime.close();
  const replayed = await catchUp(initialState, 'x', { log, results });
  expect(JSON.stringify(encodeState(replayed))).toBe(JSON.stringify(encodeState(live)));
  return end;
}

describe('server and worker in one process', () => {
  it('run a chain of steps to its result', async () => {
    const end = await run(`
workflow:
  - step: start
    tool: { kind: noop, result: 1 }
    next: { arcs: [{ step: last, args: { n: "{{ results.start + 1 }}" } }] }
  - step: last
    tool: { kind: noop, result: "{{ args.n }}" }
`);
    expect(end).toMatchObject({ status: 'success', result: 2 });
  });
  it('run a loop of a thousand iterations, many at a time', async () => {
    const end = await run(`
workflow:
  - step: start
    loop: { in: "{{ range(1000) | list }}", iterator: x, spec: { mode: parallel, max_in_flight: 50 } }
    tool: { kind: noop, result: "{{ iter.x * 2 }}" }
    next: { arcs: [{ step: last }] }
  - step: last
    tool: { kind: noop, result: "{{ results.start | sum }}" }
`);
    expect(end).toMatchObject({ status: 'success', result: 999_000, stats: { iterations: 1000 } });
  });
  it('end in error with the cause', async () => {
    const end = await run(`
workflow:
  - step: start
    tool: { kind: shell, command: [ls] }
`);
    expect(end).toMatchObject({ status: 'error', error: { kind: 'tool.unavailable' } });
  });

  it('go on with a long execution from its snapshot, not from its first event (ENG-15)', {
    timeout: 120_000,
  }, async () => {
    const plan = planFrom(`
workflow:
  - step: start
    loop: { in: "{{ range(3000) | list }}", iterator: x, spec: { mode: parallel, max_in_flight: 50 } }
    tool: { kind: noop, result: "{{ iter.x * 2 }}" }
    next: { arcs: [{ step: last }] }
  - step: last
    tool: { kind: noop, result: "{{ results.start | sum }}" }
`);
    const { log, snapshots } = createMemoryStore(systemClock);
    const results = createMemoryResults();
    let arrive: () => void = () => undefined;
    const far = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const first = runtimeOn({ log, results, snapshots }, (_events, { seq }) => {
      if (seq > 10_500) arrive();
    });
    await first.executions.start(plan, { ...REQUEST, payload: {} });
    await far;
    await first.close();

    const read: number[] = [];
    const watched = {
      ...log,
      read: (execution: string, after: number, limit: number) => {
        read.push(after);
        return log.read(execution, after, limit);
      },
    };
    let live: ExecutionState = initialState;
    const second = runtimeOn({ log: watched, results, snapshots }, (_events, state) => {
      live = state;
    });
    await second.executions.resume('x', plan);
    expect(await second.executions.over('x')).toMatchObject({ status: 'success', result: 8_997_000 });
    await second.close();
    expect(Math.min(...read)).toBeGreaterThan(9_999);
    const replayed = await catchUp(initialState, 'x', { log, results });
    expect(JSON.stringify(encodeState(replayed))).toBe(JSON.stringify(encodeState(live)));
  });
});
