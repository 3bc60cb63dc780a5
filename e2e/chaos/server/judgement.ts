import type { ExecutionEvent } from '@noetl/engine';
import type { Program } from '../../program.testing.ts';
import { outlineDifferences, outlineOf } from '../agreement.ts';
import type { Ledger } from '../ledger.ts';
import type { Scenario } from '../scenario.ts';
import { endOf, rootsOf, type StoredHistory, storedHistory } from '../stored-history.ts';
import { verifiedByCommand } from '../verification.ts';
import type { Ailments } from './ailments.ts';
import type { Loss } from './faults.ts';
import type { Fleet } from './fleet.ts';
import { leaseProblems, leaseStory } from './lease-story.ts';
import { ledgerProblems, printedLife } from './ledger-agreement.ts';
import type { StartedOne } from './load.ts';
import { claimed, type Measure, reLeased } from './measures.ts';
import { keptAccount } from './store-account.ts';

/** What a data folder says when all is over. */
export interface Judgement {
  readonly executions: number;
  readonly events: number;
  readonly calls: number;
  /** Leases that were given: more than one on a piece of work where something happened to it. */
  readonly leases: number;
  /** Acknowledged, and not in the log. */
  readonly lost: number;
  /** In the log, and not over. */
  readonly stuck: number;
  /** Reports that were taken of who had no lease. */
  readonly stale: number;
  readonly reLease: Measure;
  readonly wakeUp: Measure;
  readonly answer: Measure;
  readonly problems: readonly string[];
}

export interface JudgedRun {
  readonly program: Program;
  readonly fleet: Fleet;
  readonly ledger: Ledger;
  readonly started: readonly StartedOne[];
  readonly losses: readonly Loss[];
  readonly ailments: Ailments;
  readonly expected: (scenario: Scenario) => Promise<{ readonly outline: readonly string[] }>;
  /** The scenario of which each execution is about a lost wake-up. */
  readonly rung: Scenario;
}

export async function judged(run: JudgedRun): Promise<Judgement> {
  const { program, fleet, ledger, started, losses, ailments, expected, rung } = run;
  const { data, names, places } = fleet;
  const problems = [...(await verifiedByCommand(program, data))];
  const history = await storedHistory(data);
  const account = await keptAccount(data);
  const story = leaseStory(account);
  const calls = ledger.calls();

  const families = familiesOf(history);
  const lost = started.filter(({ id }) => !history.has(id));
  const stuck = [...history].filter(([, events]) => endOf(events) === undefined).map(([id]) => id);
  problems.push(...lost.map(({ id, key }) => `${id} (${key}) was acknowledged, and is lost`));
  problems.push(...stuck.map((id) => `${id} has not ended`));
  const acknowledged = new Set(started.map(({ id }) => id));
  for (const root of families.keys())
    if (!acknowledged.has(root)) problems.push(`${root} was begun, and nobody was told`);
  for (const { id, scenario } of started) {
    const family = families.get(id);
    if (family === undefined) continue;
    const { outline } = await expected(scenario);
    problems.push(...outlineDifferences(outline, outlineOf(family)).map((line) => `${id} ${scenario.name}: ${line}`));
  }

  const workerOf = (event: ExecutionEvent): string | undefined => {
    if (event.name === 'step.started' || event.name === 'loop.iteration.started') return event.payload.worker;
    const life = printedLife(event);
    return life === undefined ? undefined : names.get(life);
  };
  const { stale, crowded } = leaseProblems(account, history, workerOf);
  problems.push(...stale, ...crowded, ...ledgerProblems(calls, history, account));

  const around = {
    story,
    ailments,
    placesOf: (pool: string) => places.filter((place) => place.pool === pool).map(({ number }) => number),
  };
  const rungOnes = new Set(started.filter(({ scenario }) => scenario === rung).map(({ id }) => id));
  const { afterLostWakeUp, afterLostAnswer } = claimed(rungOnes, account, around);
  return {
    executions: history.size,
    events: [...history.values()].reduce((sum, events) => sum + events.length, 0),
    calls: calls.length,
    leases: [...story.values()].reduce((sum, leases) => sum + leases.length, 0),
    lost: lost.length,
    stuck: stuck.length,
    stale: stale.length,
    reLease: reLeased(losses, around),
    wakeUp: afterLostWakeUp,
    answer: afterLostAnswer,
    problems,
  };
}

/** Each execution that somebody started, with all that it called. */
function familiesOf(history: StoredHistory): ReadonlyMap<string, StoredHistory> {
  const roots = new Map(rootsOf(history).map((id) => [id, new Map<string, readonly ExecutionEvent[]>()]));
  for (const [id, events] of history) roots.get(id.split('-', 1)[0] ?? '')?.set(id, events);
  return roots;
}
