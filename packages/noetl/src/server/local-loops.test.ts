import { failure, planOf } from '@noetl/engine';
import { readPlaybook } from '@noetl/playbook';
import { expect, it } from 'vitest';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import { createMemoryResults } from '../results/memory.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import { createExecutions } from './executions.ts';

const TTL = 5_000;

const { playbook } = readPlaybook(
  `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: t }
workflow:
  - step: start
    loop: { in: [1, 2, 3], iterator: x, spec: { mode: parallel, max_in_flight: 3, policy: { exec: local } } }
    tool: { kind: noop }`,
  { file: 't.yaml' },
);
if (playbook === undefined) throw new Error('the playbook of the test is not valid');
const plan = planOf(playbook);

const card = (name: string) => ({ name, pool: 'default', labels: {}, slots: 8, host: 'h', pid: 1 });
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise((wake) => setImmediate(wake));
};

function opened() {
  const clock = createVirtualClock();
  const { log, snapshots } = createMemoryStore(clock);
  const { start, remote, waiting } = createExecutions({
    ports: { log, snapshots, results: createMemoryResults() },
    clock,
    childPlans: {
      find: async () => ({ kind: 'none', error: failure('child.unknown', 'there is none') }),
      of: async () => undefined,
    },
    credentials: { resolve: async () => undefined, forget: () => undefined },
    remote: { key: Buffer.from('the key of a test'), ttl: TTL },
    committed: () => undefined,
  });
  if (remote === undefined) throw new Error('there are no workers');
  return {
    remote,
    waiting,
    begin: () => start(plan, { execution_id: 'x', path: 't', version: null, content_hash: 'h', payload: {} }),
    async claim(name: string, max: number) {
      const stop = new AbortController();
      const claimed = remote.claim(card(name), max, stop.signal);
      await turns();
      stop.abort();
      return claimed;
    },
    async pass(seconds: number, meanwhile: () => Promise<void> = turns) {
      for (let second = 0; second < seconds; second++) {
        clock.advanceTo(clock.now() + 1_000);
        await meanwhile();
      }
    },
  };
}

it('a loop stays with a worker that is there, also if it never heard of one of its leases (DESIGN §4)', async () => {
  const { remote, waiting, begin, claim, pass } = opened();
  await begin();
  const [first] = await claim('anna', 1);
  if (first === undefined) throw new Error('there is no work');
  // The answer is lost on its way.
  expect(await claim('anna', 1)).toHaveLength(1);
  await pass(8, async () => {
    expect(await remote.heartbeat(card('anna'), [first.ticket])).toEqual({ gone: [], drain: false });
    await turns();
  });
  expect(waiting()).toEqual(new Map([['', 2]]));
  expect(await claim('ben', 8)).toEqual([]);
  expect(await claim('anna', 8)).toHaveLength(2);
});

it('a loop goes on elsewhere if its worker was gone already when it was given work (DESIGN §4)', async () => {
  const { remote, begin, claim, pass } = opened();
  const waiting = remote.claim(card('anna'), 1, new AbortController().signal);
  await pass(8);
  expect(remote.workers.list()).toEqual([]);
  await begin();
  const [given] = await waiting;
  if (given === undefined) throw new Error('there is no work');
  await remote.release(given.ticket, {});
  expect(await claim('ben', 8)).toEqual([]);
  await pass(8);
  expect(await claim('ben', 8)).toHaveLength(3);
});
