import { planOf } from '@noetl/engine';
import { readPlaybook } from '@noetl/playbook';
import { expect, it } from 'vitest';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import type { GivenWork, WorkExchange } from '../ports/work-exchange.ts';
import { createRemoteSource } from './remote-source.ts';

const TEXT = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: t }
workflow: [{ step: start, tool: { kind: noop } }]`;
const { playbook } = readPlaybook(TEXT, { file: 't.yaml' });
if (playbook === undefined) throw new Error('the playbook of the test is not valid');

const given = (work: string, epoch: number): GivenWork =>
  ({
    lease: { execution: 'x', work, epoch, worker: 'anna', capability: `${work} ${epoch}` },
    ttl: 1_000,
    assignment: {},
    isSuspect: false,
    playbook: { contentHash: 'h', name: 't', folder: '/', limits: {} },
    secrets: { keychain: {}, secrets: [], problems: [] },
  }) as never;

function sourceOf(answers: (readonly GivenWork[])[], exchange: Partial<WorkExchange> = {}) {
  return createRemoteSource({
    exchange: {
      claim: async () => answers.shift() ?? [],
      playbook: async () => TEXT,
      ...exchange,
    } as Partial<WorkExchange> as WorkExchange,
    card: { name: 'anna', pool: 'default', labels: {}, slots: 4, host: 'h', pid: 1 },
    clock: createVirtualClock(),
    heartbeats: () => ({ hold: () => undefined, drop: () => undefined, close: async () => undefined }),
    planOf: () => planOf(playbook as NonNullable<typeof playbook>),
    drain: () => undefined,
    trouble: () => undefined,
  });
}

it('work that a worker is given again stops where it still runs: its older lease is gone (DESIGN §4)', async () => {
  const source = sourceOf([[given('1', 1), given('2', 1)], [given('1', 2)]]);
  const { signal } = new AbortController();
  const before = await source.claim(4, signal);
  const after = await source.claim(4, signal);
  expect([...before, ...after].map((item) => item.isStopped())).toEqual([true, false, false]);
});

it('a lease that a worker holds already is given back: the store has forgotten it, and counts its epochs anew', async () => {
  const released: unknown[] = [];
  const source = sourceOf([[given('1', 1)], [given('1', 1)]], {
    release: async (lease, why) => {
      released.push([lease.work, lease.epoch, why]);
    },
  });
  const { signal } = new AbortController();
  const [before] = await source.claim(4, signal);
  expect(await source.claim(4, signal)).toEqual([]);
  expect(before?.isStopped()).toBe(true);
  expect(released).toEqual([['1', 1, { lost: true }]]);
});
