import { planOf } from '@noetl/engine';
import { readPlaybook } from '@noetl/playbook';
import { expect, it } from 'vitest';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import { createMemoryResults } from '../results/memory.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import { openRuntime } from './embedded-runtime.ts';

const PLAYBOOK = `
apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: t }
workflow:
  - step: start
    tool:
      - first: { kind: noop }
      - asked: { kind: wait, for: signal, name: go }
`;

it('a signal that came before it was waited for lets the pipeline go on at once (EVT-2)', async () => {
  const { playbook } = readPlaybook(PLAYBOOK, { file: 't.yaml' });
  if (playbook === undefined) throw new Error('the playbook of the test is not valid');
  const clock = createVirtualClock();
  const { log, snapshots } = createMemoryStore(clock);
  let sent = false;
  const runtime = openRuntime({
    log,
    results: createMemoryResults(),
    snapshots,
    clock,
    worker: 'w',
    slots: 4,
    childPlans: { find: () => Promise.reject(new Error('nothing is called')), of: async () => undefined },
    credentials: { resolve: async () => undefined, forget: () => undefined },
    tools: async () => {
      sent = true;
      await runtime.executions.submit('x', { kind: 'signal', name: 'go', payload: 1, by: null });
      return { status: 'ok', result: null };
    },
    lend: () => ({ context: { log: () => undefined, folder: '.', environment: {} }, done: () => undefined }),
    secretsOf: () => ({ keychain: {}, redact: (value) => value }),
    committed: () => undefined,
  });
  const request = { execution_id: 'x', path: 't', version: null, content_hash: 'h', payload: {} };
  await runtime.executions.start(planOf(playbook), request);
  const end = await Promise.race([
    runtime.executions.over('x'),
    new Promise((wake) => setTimeout(() => wake('it waits'), 2_000)),
  ]);
  expect(sent).toBe(true);
  expect(end).toMatchObject({ status: 'success', result: { payload: 1 } });
  await runtime.close();
});
