import { type ExecutionEvent, failure, planOf } from '@noetl/engine';
import { readPlaybook } from '@noetl/playbook';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import type { WorkerCard } from '../ports/work-exchange.ts';
import { createMemoryResults } from '../results/memory.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import { createExecutions } from './executions.ts';
import type { RemoteLeases, RemoteWork } from './remote-leases.ts';

export const TTL = 5_000;
/** A lease that nobody renews is taken over within this time. */
export const EXPIRED = TTL + 2_000;

export const plan = (body: string, takeovers?: number) => {
  const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: t }\n${body}`;
  const { playbook } = readPlaybook(text, { file: 't.yaml' });
  if (playbook === undefined) throw new Error('the playbook of the test is not valid');
  const made = planOf(playbook);
  return takeovers === undefined ? made : { ...made, limits: { ...made.limits, takeovers } };
};

export const ONE_STEP = plan('workflow: [{ step: start, tool: { kind: noop } }]');
export const loop = (exec: string) =>
  plan(`
workflow:
  - step: start
    loop: { in: [1, 2, 3, 4], iterator: x, spec: { mode: parallel, max_in_flight: 4, policy: { exec: ${exec} } } }
    tool: { kind: noop }
`);

export const worker = (name: string, card: Partial<WorkerCard> = {}): WorkerCard => ({
  name,
  pool: 'default',
  labels: {},
  slots: 8,
  host: 'h',
  pid: 1,
  ...card,
});

/** A store, a clock that the test moves, and servers on them. */
export function world() {
  const clock = createVirtualClock();
  const store = createMemoryStore(clock);
  const results = createMemoryResults();
  const events: ExecutionEvent[] = [];
  /** What is counted: leases that expired, and how long work waited. */
  const counted = { expired: 0, waited: [] as number[] };
  /** A server on the store; one that was there before is as good as dead. */
  const serve = () => {
    const executions = createExecutions({
      ports: { log: store.log, snapshots: store.snapshots, results },
      clock,
      childPlans: {
        find: async () => ({ kind: 'none', error: failure('child.unknown', 'there is none') }),
        of: async () => undefined,
      },
      credentials: { resolve: async () => undefined, forget: () => undefined },
      remote: { key: Buffer.from('the key of a test'), ttl: TTL, expired: () => (counted.expired += 1) },
      claimed: (waited) => counted.waited.push(waited),
      committed: (more) => events.push(...more),
    });
    const remote = executions.remote as RemoteLeases;
    return { executions, remote };
  };
  const pass = async (milliseconds: number) => {
    for (const end = clock.now() + milliseconds; clock.now() < end; ) {
      clock.advanceTo(Math.min(end, clock.now() + 250));
      await settle();
    }
  };
  return { clock, store, events, counted, serve, pass };
}

export const settle = () => new Promise((resolve) => setImmediate(resolve));
export const request = (id: string) => ({ execution_id: id, path: 't', version: null, content_hash: 'h', payload: {} });
export const forever = new AbortController().signal;
/** What can be had at once. */
export async function claimNow(remote: RemoteLeases, card: WorkerCard, max = 8): Promise<readonly RemoteWork[]> {
  const stop = new AbortController();
  const claim = remote.claim(card, max, stop.signal);
  for (let turn = 0; turn < 5; turn++) await settle();
  stop.abort();
  return claim;
}
export async function claimOne(remote: RemoteLeases, card: WorkerCard): Promise<RemoteWork> {
  const [first] = await remote.claim(card, 1, forever);
  if (first === undefined) throw new Error('there is no work');
  return first;
}

const AT = '2026-01-01T00:00:00.000Z';
const task = { label: 'task', visit: 1, attempt: 1 } as const;
const outcome = { status: 'ok', result: 7, meta: { attempt: 1, duration_ms: 0, ts: AT } } as const;
/** The whole of a step of one task, as a worker tells it. */
export const whole = ({ work }: RemoteWork, name = 'w') => {
  const { label } = work.assignment.pipeline;
  const begun = work.assignment.work.path.length === 0 ? 'step.started' : 'loop.iteration.started';
  return [
    { name: begun, timestamp: AT, payload: { worker: name } },
    { name: 'task.started', timestamp: AT, task: { ...task, label }, payload: { kind: 'noop', input: {} } },
    {
      name: 'task.done',
      timestamp: AT,
      task: { ...task, label },
      payload: { kind: 'noop', outcome, directive: { do: 'continue', rule: 'default' }, next: { kind: 'done' } },
    },
    { name: 'finished', timestamp: AT },
  ] as never;
};
export const begun = (name = 'w') => [{ name: 'step.started', timestamp: AT, payload: { worker: name } }] as never;
