import { type ExecutionEvent, failure, type Plan, planOf, type RequestInput } from '@noetl/engine';
import { type JsonMap, readPlaybook } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import { createMemoryResults } from '../results/memory.ts';
import type { ChildPlans } from '../server/children.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import { openRuntime } from './embedded-runtime.ts';
import { systemClock } from './system-clock.ts';

function planFrom(workflow: string): Plan {
  const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\n${workflow}`;
  const { playbook } = readPlaybook(text, { file: 't.yaml' });
  if (playbook === undefined) throw new Error('the playbook of the test is not valid');
  return planOf(playbook);
}

const calling = (options = '') =>
  planFrom(`workflow: [{ step: start, tool: { kind: playbook, path: child${options} } }]`);
const PARENT = calling();
const WAITING = planFrom('workflow: [{ step: start, tool: { kind: wait, for: signal, name: go } }]');
const FAILING = planFrom('workflow: [{ step: start, tool: { kind: noop, result: "{{ nothing }}" } }]');

/** Calls itself until it is as deep as its workload says. */
const NESTED = planFrom(`
workload: { depth: 0, to: 0 }
workflow:
  - step: start
    next: { arcs: [{ step: down, when: "{{ workload.depth < workload.to }}" }, { step: bottom }] }
  - step: down
    tool: { kind: playbook, path: self, args: { depth: "{{ workload.depth + 1 }}", to: "{{ workload.to }}" } }
  - step: bottom
    tool: { kind: noop, result: "{{ workload.depth }}" }
`);

const request = (payload: JsonMap = {}, id = 'x'): Omit<RequestInput, 'kind'> => ({
  execution_id: id,
  path: 't',
  version: null,
  content_hash: 'h',
  payload,
});

const plans = (plan: Plan): ChildPlans => ({
  find: async (path) => ({ kind: 'found', found: { plan, path, version: null, contentHash: 'h' } }),
  of: async () => plan,
});

/** A runtime on a store that outlives it. */
function open(childPlans: ChildPlans, { store = createMemoryStore(systemClock), slots = 2 } = {}) {
  const events: ExecutionEvent[] = [];
  const watchers: { readonly name: string; readonly id: string; readonly seen: () => void }[] = [];
  const runtime = openRuntime({
    log: store.log,
    snapshots: store.snapshots,
    results: createMemoryResults(),
    clock: systemClock,
    worker: 'w',
    slots,
    childPlans,
    credentials: { resolve: async () => undefined, forget: () => undefined },
    tools: async (call) => ({ status: 'ok', result: call.input.result ?? null }),
    lend: () => ({ context: { log: () => undefined, folder: '.', environment: {} }, done: () => undefined }),
    secretsOf: () => ({ keychain: {}, redact: (value) => value }),
    committed: (more) => {
      events.push(...more);
      for (const event of more) {
        for (const { name, id, seen } of watchers) if (event.name === name && event.execution_id === id) seen();
      }
    },
  });
  /** Once an execution has an event of that name. */
  const event = (id: string, name: string) =>
    new Promise<void>((seen) => {
      if (events.some((one) => one.name === name && one.execution_id === id)) seen();
      else watchers.push({ name, id, seen });
    });
  return { ...runtime, event, events, store };
}

const CHILD = 'x-1-0-1-1';

describe('a called playbook', () => {
  it('has the trace of its caller, and so have the outcomes of both (EVT-2, TOOL-1)', async () => {
    const plan = planFrom(`
workflow:
  - step: start
    tool:
      kind: noop
      spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { trace: "{{ outcome.meta.trace_id }}" } } } }] } }
`);
    const { executions, events, close } = open(plans(plan));
    await executions.start(PARENT, request());
    await executions.over('x');
    await close();
    const traces = events.flatMap(({ payload }) => {
      if ('trace_id' in payload) return [payload.trace_id];
      if ('outcome' in payload) return [payload.outcome?.meta.trace_id];
      return 'patch' in payload ? [(payload.patch as JsonMap).trace] : [];
    });
    expect(traces.length).toBeGreaterThan(4);
    expect(new Set(traces)).toEqual(new Set([expect.stringMatching(/^[0-9a-f]{32}$/)]));
    expect(new Set(events.map(({ execution_id }) => execution_id)).size).toBe(2);
  });

  it('whose request arrives twice goes on, and its caller gets its result', async () => {
    const memory = createMemoryStore(systemClock);
    const append: typeof memory.log.append = async (batch) => {
      const answers = await memory.log.append(batch);
      return batch.some(({ execution, expected }) => execution === CHILD && expected === 0)
        ? memory.log.append(batch)
        : answers;
    };
    const child = planFrom('workflow: [{ step: start, tool: { kind: noop, result: 7 } }]');
    const { executions, close } = open(plans(child), { store: { ...memory, log: { ...memory.log, append } } });
    await executions.start(PARENT, request());
    expect(await executions.over('x')).toMatchObject({ status: 'success', result: 7 });
    await close();
  });

  it('that is not there fails its call', async () => {
    const { executions, close } = open({
      find: async () => ({ kind: 'none', error: failure('child.unknown', 'none') }),
      of: async () => undefined,
    });
    await executions.start(PARENT, request());
    expect(await executions.over('x')).toMatchObject({ status: 'error', error: { kind: 'child.unknown' } });
    await close();
  });

  it('needs no slot of its caller, however deep it is nested (ENG-14)', async () => {
    const { executions, close } = open(plans(NESTED), { slots: 1 });
    await executions.start(NESTED, request({ to: 10 }));
    expect(await executions.over('x')).toMatchObject({ status: 'success', result: 10 });
    await close();
  });

  it('that would be nested deeper than the limit fails its call (ENG-13)', async () => {
    const { executions, store, close } = open(plans(NESTED));
    await executions.start(NESTED, request({ to: 11 }));
    expect(await executions.over('x')).toMatchObject({ status: 'error', error: { kind: 'limit.child_depth' } });
    expect(await store.executions.list({}, undefined, 100)).toHaveLength(11);
    await close();
  });

  it('hands its error to its caller, which names every execution that it came through (TOOL-2)', async () => {
    const { executions, close } = open({
      ...plans(PARENT),
      find: async (path, _version, caller) => {
        const plan = caller === PARENT ? FAILING : PARENT;
        return { kind: 'found', found: { plan, path, version: null, contentHash: 'h' } };
      },
    });
    await executions.start(calling(), request());
    expect(await executions.over('x')).toMatchObject({
      status: 'error',
      error: {
        kind: 'template',
        details: {
          child: { execution_id: CHILD, path: 'child', child: { execution_id: `${CHILD}-1-0-1-1`, path: 'child' } },
        },
      },
    });
    await close();
  });

  it('whose caller is cancelled while it starts is cancelled too (ENG-14)', async () => {
    let asked: () => void = () => undefined;
    let find: () => void = () => undefined;
    const looking = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const found = new Promise<void>((resolve) => {
      find = resolve;
    });
    const { executions, close } = open({
      async find(...call) {
        asked();
        await found;
        return plans(WAITING).find(...call);
      },
      of: async () => WAITING,
    });
    await executions.start(PARENT, request());
    await looking;
    await executions.submit('x', { kind: 'cancel', reason: null, by: null });
    find();
    expect(await executions.over('x')).toMatchObject({ status: 'cancelled' });
    expect(await executions.over(CHILD)).toMatchObject({ status: 'cancelled' });
    await executions.settled();
    await close();
  });

  it('goes on after a restart with the playbook that it began with (ENG-15)', async () => {
    const first = open(plans(WAITING));
    await first.executions.start(PARENT, request());
    await first.event(CHILD, 'task.waiting');
    await first.close();
    // By now its path leads to another playbook.
    const second = open({ ...plans(FAILING), of: async (id) => (id === CHILD ? WAITING : undefined) }, first);
    const waiting = second.executions.resume('x', PARENT);
    // Whoever else asks for it, it is opened once.
    await Promise.all([waiting, second.executions.resume(CHILD, WAITING), second.executions.resume(CHILD, WAITING)]);
    await second.executions.submit(CHILD, { kind: 'signal', name: 'go', payload: 7, by: null });
    expect(await second.executions.over('x')).toMatchObject({ status: 'success', result: { payload: 7 } });
    const resumed = (await first.store.log.read('x', 0, 100)).filter(({ name }) => name === 'task.resumed');
    expect(resumed).toHaveLength(1);
    await second.close();
  });

  it('tells its end to a caller that comes back while it is still being opened (ENG-15)', async () => {
    const first = open(plans(WAITING));
    await first.executions.start(PARENT, request());
    await first.event(CHILD, 'task.waiting');
    await first.close();
    const { log } = first.store;
    let answer: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => {
      answer = resolve;
    });
    /** Whether its caller was cancelled is the last that is asked when it is opened. */
    const position: typeof log.position = async (id) => {
      if (id === 'x') await slow;
      return log.position(id);
    };
    const second = open(plans(WAITING), { store: { ...first.store, log: { ...log, position } } });
    const opening = second.executions.resume(CHILD, WAITING);
    while (!second.executions.drives(CHILD)) await new Promise((wake) => setImmediate(wake));
    await second.executions.submit(CHILD, { kind: 'signal', name: 'go', payload: 7, by: null });
    await second.event(CHILD, 'playbook.processed');
    await second.executions.resume('x', PARENT);
    answer();
    await opening;
    await second.event('x', 'playbook.processed');
    expect(second.events.at(-1)).toMatchObject({ payload: { status: 'success', result: { payload: 7 } } });
    await second.close();
  });
});

describe('a called playbook that nobody waits for', () => {
  const PARENT = calling(', wait: false');

  it('goes on when its caller is over, and is over before all is settled', async () => {
    const { executions, event, close } = open(plans(WAITING));
    await executions.start(PARENT, request());
    expect(await executions.over('x')).toMatchObject({ status: 'success', result: { execution_id: CHILD } });
    await event(CHILD, 'task.waiting');
    expect([executions.underWay(), executions.drives(CHILD), executions.drives('x')]).toEqual([1, true, false]);
    let settled = false;
    const settling = executions.settled().then(() => {
      settled = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toBe(false);
    await executions.submit(CHILD, { kind: 'signal', name: 'go', payload: null, by: null });
    await settling;
    expect(await executions.over(CHILD)).toMatchObject({ status: 'success' });
    await close();
  });

  const twoSteps = planFrom(`
workflow:
  - step: start
    tool: { kind: playbook, path: child, wait: false }
    next: { arcs: [{ step: rest }] }
  - step: rest
    tool: { kind: wait, for: signal, name: go }
`);

  it('is cancelled with its caller (ENG-14)', async () => {
    const { executions, event, close } = open(plans(WAITING));
    await executions.start(twoSteps, request());
    await Promise.all([event(CHILD, 'task.waiting'), event('x', 'task.waiting')]);
    await executions.submit('x', { kind: 'cancel', reason: null, by: null });
    await executions.settled();
    expect(await executions.over(CHILD)).toMatchObject({ status: 'cancelled' });
    await close();
  });

  it('is cancelled after a restart, if there was no time to tell it before', async () => {
    const first = open(plans(WAITING));
    await first.executions.start(twoSteps, request());
    await first.event(CHILD, 'task.waiting');
    await first.close();
    const caller = open(plans(WAITING), first);
    await caller.executions.resume('x', twoSteps);
    await caller.executions.submit('x', { kind: 'cancel', reason: null, by: null });
    await caller.executions.settled();
    await caller.close();
    const child = open(plans(WAITING), first);
    await child.executions.resume(CHILD, WAITING);
    expect(await child.executions.over(CHILD)).toMatchObject({ status: 'cancelled' });
    await child.close();
  });

  it('goes on after the failure of its caller', async () => {
    const failing = planFrom(`
workflow:
  - step: start
    tool: [{ call: { kind: playbook, path: child, wait: false } }, { fail: { kind: noop, result: "{{ nothing }}" } }]
`);
    const { executions, event, close } = open(plans(WAITING));
    await executions.start(failing, request());
    expect(await executions.over('x')).toMatchObject({ status: 'error' });
    await event(CHILD, 'task.waiting');
    await executions.submit(CHILD, { kind: 'signal', name: 'go', payload: null, by: null });
    await executions.settled();
    expect(await executions.over(CHILD)).toMatchObject({ status: 'success' });
    await close();
  });
});
