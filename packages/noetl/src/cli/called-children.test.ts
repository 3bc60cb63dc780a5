import { type ExecutionEvent, failure, planOf, type RequestInput } from '@noetl/engine';
import { type JsonMap, readPlaybook } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import { createMemoryResults } from '../results/memory.ts';
import type { ChildPlans } from '../server/children.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import { openRuntime } from './embedded-runtime.ts';
import { systemClock } from './system-clock.ts';

function planFrom(workflow: string) {
  const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\n${workflow}`;
  const { playbook } = readPlaybook(text, { file: 't.yaml' });
  if (playbook === undefined) throw new Error('the playbook of the test is not valid');
  return planOf(playbook);
}

const PARENT = planFrom('workflow: [{ step: start, tool: { kind: playbook, path: child } }]');
const CHILD = {
  plan: planFrom('workflow: [{ step: start, tool: { kind: wait, for: signal, name: never } }]'),
  path: 'child',
  version: null,
  contentHash: 'h',
};
const REQUEST: Omit<RequestInput, 'kind'> = {
  execution_id: 'x',
  path: 't',
  version: null,
  content_hash: 'h',
  payload: {},
};

function open(childPlans: ChildPlans) {
  const events: ExecutionEvent[] = [];
  const { log, snapshots } = createMemoryStore(systemClock);
  const runtime = openRuntime({
    log,
    snapshots,
    results: createMemoryResults(),
    clock: systemClock,
    worker: 'w',
    slots: 2,
    childPlans,
    credentials: async () => undefined,
    tools: async () => ({ status: 'ok', result: null }),
    lend: () => ({ context: { log: () => undefined, folder: '.', environment: {} }, done: () => undefined }),
    secretsOf: () => ({ keychain: {}, redact: (value) => value }),
    committed: (more) => events.push(...more),
  });
  return { ...runtime, events };
}

describe('a called playbook', () => {
  it('has the trace of its caller, and so have the outcomes of both (EVT-2, TOOL-1)', async () => {
    const plan = planFrom(`
workflow:
  - step: start
    tool:
      kind: noop
      spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { trace: "{{ outcome.meta.trace_id }}" } } } }] } }
`);
    const { executions, events, close } = open({
      find: async () => ({ kind: 'found', found: { ...CHILD, plan } }),
      of: async () => plan,
    });
    await executions.start(PARENT, REQUEST);
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

  it('that is not there fails its call', async () => {
    const { executions, close } = open({
      find: async () => ({ kind: 'none', error: failure('child.unknown', 'none') }),
      of: async () => undefined,
    });
    await executions.start(PARENT, REQUEST);
    expect(await executions.over('x')).toMatchObject({ status: 'error', error: { kind: 'child.unknown' } });
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
    const { executions, events, close } = open({
      async find() {
        asked();
        await found;
        return { kind: 'found', found: CHILD };
      },
      of: async () => CHILD.plan,
    });
    await executions.start(PARENT, REQUEST);
    await looking;
    await executions.submit('x', { kind: 'cancel', reason: null, by: null });
    find();
    expect(await executions.over('x')).toMatchObject({ status: 'cancelled' });
    const child = events.find(({ execution_id }) => execution_id !== 'x')?.execution_id ?? 'x-1-0-1-1';
    expect(await executions.over(child)).toMatchObject({ status: 'cancelled' });
    await close();
  });
});
