import type { Ailments } from './ailments.ts';
import type { Loss } from './faults.ts';
import type { LeaseStory, TakenLease } from './lease-story.ts';
import type { StoreEntry } from './store-account.ts';

/** How long something took, in milliseconds: how often it was measured, and the longest. */
export interface Measure {
  readonly times: number;
  readonly worst: number;
}

/** A report that was under way when its worker was lost ends a lease within so many milliseconds; a takeover is later. */
const UNDER_WAY = 1_000;

interface Surroundings {
  readonly story: LeaseStory;
  readonly ailments: Ailments;
  /** The numbers of the places whose workers do the work of a pool. */
  readonly placesOf: (pool: string) => readonly number[];
}

/** From the loss of a worker until somebody else has its work, where there was a server and somebody to have it. */
export function reLeased(losses: readonly Loss[], { story, ailments, placesOf }: Surroundings): Measure {
  const took: number[] = [];
  for (const leases of story.values()) {
    for (const { at, worker, pool } of losses) {
      const lost = leases.find((lease) => lease.worker === worker && lease.at <= at && lease.until > at + UNDER_WAY);
      const next = lost === undefined ? undefined : leases[lost.nth + 1];
      if (next === undefined || !ailments.wasWell('server', at, next.at)) continue;
      if (placesOf(pool).some((place) => ailments.wasWell(place, at, next.at))) took.push(next.at - at);
    }
  }
  return measured(took);
}

/** Of executions whose worker was not woken: from their beginning until somebody has their work. */
export function claimed(
  executions: ReadonlySet<string>,
  account: readonly StoreEntry[],
  { story, ailments }: Surroundings,
): { readonly afterLostWakeUp: Measure; readonly afterLostAnswer: Measure } {
  const begun = new Map<string, number>();
  for (const { kind, execution, at } of account)
    if (kind === 'appended' && executions.has(execution) && !begun.has(execution)) begun.set(execution, at);
  const wakeUps: number[] = [];
  const answers: number[] = [];
  for (const [first, second] of story.values() as Iterable<readonly TakenLease[]>) {
    const from = first === undefined ? undefined : begun.get(first.execution);
    if (first === undefined || from === undefined) continue;
    if (ailments.wasWell('server', from, first.at)) wakeUps.push(first.at - from);
    if (second !== undefined && ailments.wasWell('server', first.at, second.at)) answers.push(second.at - first.at);
  }
  return { afterLostWakeUp: measured(wakeUps), afterLostAnswer: measured(answers) };
}

const measured = (took: readonly number[]): Measure => ({ times: took.length, worst: Math.max(0, ...took) });
