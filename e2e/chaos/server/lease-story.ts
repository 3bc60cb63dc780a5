import type { ExecutionEvent } from '@noetl/engine';
import type { StoredHistory } from '../stored-history.ts';
import type { StoreEntry } from './store-account.ts';

type Given = Extract<StoreEntry, { kind: 'given' | 'ended' }>;

/** A lease, from when it was given until it ended. */
export interface TakenLease extends Omit<Given, 'kind'> {
  readonly until: number;
  /** Its place among the leases on its work, from 0. */
  readonly nth: number;
}

/** Who counts takeovers leases work for a moment, and does nothing. */
const COUNTER = 'takeovers';

/** All leases on each piece of work, in order; by execution and work. */
export type LeaseStory = ReadonlyMap<string, readonly TakenLease[]>;

export const placeOf = (execution: string, work: string): string => `${execution} ${work}`;

export function leaseStory(account: readonly StoreEntry[]): LeaseStory {
  const story = new Map<string, TakenLease[]>();
  for (const entry of account) {
    if (entry.kind === 'appended' || entry.worker === COUNTER) continue;
    const place = placeOf(entry.execution, entry.work);
    const leases = story.get(place) ?? [];
    if (entry.kind === 'given') {
      leases.push({ ...entry, until: Number.POSITIVE_INFINITY, nth: leases.length });
    } else {
      const last = leases.pop();
      if (last !== undefined) leases.push({ ...last, until: entry.at });
    }
    story.set(place, leases);
  }
  return story;
}

export interface LeaseProblems {
  /** Events that a worker reported under a lease that it did not have any more. */
  readonly stale: readonly string[];
  /** Loops of which more iterations were leased at a time than may be in flight (ENG-8). */
  readonly crowded: readonly string[];
}

/**
 * Goes through everything that the store did, in order. `workerOf` tells who did the task of an event, by what the tool
 * itself has said, or who began the work, by what the event says; undefined where nobody said anything.
 */
export function leaseProblems(
  account: readonly StoreEntry[],
  history: StoredHistory,
  workerOf: (event: ExecutionEvent) => string | undefined,
): LeaseProblems {
  const holders = new Map<string, string>();
  const inFlight = new Map<string, Set<string>>();
  const most = mostInFlight(history);
  const stale: string[] = [];
  const crowded: string[] = [];
  for (const entry of account) {
    const { execution } = entry;
    if (entry.kind === 'appended') {
      for (const event of (history.get(execution) ?? []).slice(entry.first - 1, entry.last)) {
        const worker = workerOf(event);
        const work = workOf(event);
        if (worker === undefined || work === undefined) continue;
        const holder = holders.get(placeOf(execution, work));
        if (holder !== worker)
          stale.push(`${event.event_id} ${event.name} is of ${worker}, and ${holder ?? 'nobody'} had the lease`);
      }
      continue;
    }
    const { work, worker } = entry;
    const loop = placeOf(execution, work.slice(0, Math.max(0, work.indexOf(':'))));
    const leased = inFlight.get(loop) ?? new Set();
    inFlight.set(loop, leased);
    if (entry.kind === 'ended') {
      holders.delete(placeOf(execution, work));
      leased.delete(work);
      continue;
    }
    holders.set(placeOf(execution, work), worker);
    leased.add(work);
    const limit = most.get(loop);
    if (limit !== undefined && leased.size > limit)
      crowded.push(`${loop}: ${leased.size} iterations were leased at a time, at most ${limit} may be in flight`);
  }
  return { stale, crowded };
}

/** The key of the work that an event is about: without the execution. */
function workOf({ iteration_id, step_run_id, execution_id }: ExecutionEvent): string | undefined {
  return (iteration_id ?? step_run_id)?.slice(execution_id.length + 1);
}

function mostInFlight(history: StoredHistory): ReadonlyMap<string, number> {
  const most = new Map<string, number>();
  for (const [execution, events] of history) {
    for (const event of events) {
      if (event.name !== 'loop.started' || event.iteration_id !== undefined || event.payload.nested) continue;
      most.set(placeOf(execution, workOf(event) ?? ''), event.payload.max_in_flight);
    }
  }
  return most;
}
