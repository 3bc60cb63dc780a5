import type { ExecutionEvent } from '@noetl/engine';
import { describe, expect, it } from 'vitest';
import type { StoredHistory } from '../stored-history.ts';
import { leaseProblems } from './lease-story.ts';
import { ledgerProblems } from './ledger-agreement.ts';
import type { StoreEntry } from './store-account.ts';

let seq = 0;
/** As much of an event as is looked at. */
const event = (name: ExecutionEvent['name'], more: object, payload: object): ExecutionEvent =>
  ({ name, event_id: `e:${++seq}`, seq, execution_id: 'e', ...more, payload }) as ExecutionEvent;
const iteration = (index: number) => ({ step_run_id: 'e:1', iteration_id: `e:1:${index}` });
const by = (life: number) => ({ kind: 'shell', outcome: { status: 'ok', result: { stdout: `by ${life}\n` } } });
const attempt = { task_run_id: 'e:1:0:act:1', attempt: 1 };

const loop = event('loop.started', { step_run_id: 'e:1' }, { max_in_flight: 1, nested: false });
const first = event('loop.iteration.started', iteration(0), { worker: 'a' });
const done = event('task.done', { ...iteration(0), ...attempt }, by(2));
const history: StoredHistory = new Map([['e', [loop, first, done]]]);

const lease = (kind: 'given' | 'ended', epoch: number, worker: string, work = '1:0'): StoreEntry => ({
  kind,
  at: 0,
  execution: 'e',
  work,
  epoch,
  worker,
});
const appended = (from: number, to: number): StoreEntry => ({
  kind: 'appended',
  at: 0,
  execution: 'e',
  first: from,
  last: to,
});
const workerOf = (found: ExecutionEvent): string | undefined =>
  found === first ? 'a' : found === done ? 'b' : undefined;

const takenOver = [
  appended(1, 1),
  lease('given', 1, 'a'),
  appended(2, 2),
  lease('ended', 1, 'a'),
  lease('given', 2, 'b'),
  appended(3, 3),
  lease('ended', 2, 'b'),
];
const call = (life: number) => ({ life, key: attempt.task_run_id, attempt: 1 });

describe('the account of a store', () => {
  it('is well where each report came under the lease of who made it', () => {
    expect(leaseProblems(takenOver, history, workerOf)).toEqual({ stale: [], crowded: [] });
    expect(ledgerProblems([call(1), call(2)], history, takenOver)).toEqual([]);
  });

  it('shows a report that was taken after the lease of its worker was given to another, or had ended', () => {
    const given = [...takenOver.slice(0, 5), lease('ended', 2, 'b'), lease('given', 3, 'a'), appended(3, 3)];
    expect(leaseProblems(given, history, workerOf).stale).toEqual([
      `${done.event_id} task.done is of b, and a had the lease`,
    ]);
    const ended = [...takenOver.slice(0, 5), lease('ended', 2, 'b'), appended(3, 3)];
    expect(leaseProblems(ended, history, workerOf).stale).toEqual([
      `${done.event_id} task.done is of b, and nobody had the lease`,
    ]);
  });

  it('shows more leases of a loop than may be in flight', () => {
    const crowded = [...takenOver.slice(0, 2), lease('given', 1, 'b', '1:1')];
    expect(leaseProblems(crowded, history, workerOf).crowded).toHaveLength(1);
  });

  it('shows calls without a lease of their own, and results that nobody called for', () => {
    expect(ledgerProblems([call(1), call(2), call(1)], history, takenOver).join()).toMatch(/called 3 times.*leased 2/);
    expect(ledgerProblems([call(1)], history, takenOver).join()).toMatch(/by worker 2, never called/);
  });
});
