import { planOf } from '@noetl/engine';
import { type JsonMap, readPlaybook } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import { createMemoryResults } from '../results/memory.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import { openRuntime } from './embedded-runtime.ts';
import { systemClock } from './system-clock.ts';

function planFrom(workflow: string) {
  const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\n${workflow}`;
  const { playbook } = readPlaybook(text, { file: 't.yaml' });
  if (playbook === undefined) throw new Error('the playbook of the test is not valid');
  return planOf(playbook);
}

const PARENT = planFrom(`
workflow:
  - step: start
    tool: { kind: playbook, path: child, args: { given: "{{ workload.given }}" } }
`);
const CHILD = planFrom(`
workload: { given: null }
workflow:
  - step: start
    tool: { kind: noop, result: { tag: "{{ given['$noetl'] }}", size: "{{ given.text | length }}" } }
`);

async function run(payload: JsonMap) {
  const { log, snapshots } = createMemoryStore(systemClock);
  const runtime = openRuntime({
    log,
    snapshots,
    results: createMemoryResults(),
    clock: systemClock,
    worker: 'w',
    slots: 2,
    childPlans: {
      find: async () => ({ kind: 'found', found: { plan: CHILD, path: 'child', version: null, contentHash: 'h' } }),
      of: async () => CHILD,
    },
    credentials: { resolve: async () => undefined, forget: () => undefined },
    tools: async (call) => ({ status: 'ok', result: call.input.result ?? null }),
    lend: () => ({ context: { log: () => undefined, folder: '.', environment: {} }, done: () => undefined }),
    secretsOf: () => ({ keychain: {}, redact: (value) => value }),
    committed: () => undefined,
  });
  await runtime.executions.start(PARENT, {
    execution_id: 'x',
    path: 't',
    version: null,
    content_hash: 'h',
    payload,
  });
  const end = await runtime.executions.over('x');
  await runtime.close();
  return end;
}

describe('the args of a child (TOOL-2)', () => {
  it.each([10, 100_000])('are what its caller gave, also where they are large: %i characters', async (size) => {
    const end = await run({ given: { $noetl: 'reference', text: 'x'.repeat(size) } });
    expect(end).toMatchObject({ status: 'success', result: { tag: 'reference', size } });
  });
});
