import { type Instant, leasable, type Plan, pendingEffects, type Work, workKey } from '@noetl/engine';
import type { WorkerCard } from '../ports/work-exchange.ts';
import { isOfPool } from '../server/worker-pool.ts';
import type { LeaseWatch } from './lease-watch.testing.ts';
import { Violation } from './violation.testing.ts';
import type { WatchedExecution } from './watched-execution.testing.ts';

/** Looks again and again for ready work that nobody has, while somebody who may do it waits for work. */
export interface UnclaimedWork {
  /** Somebody waits at the server; what comes back ends it. */
  waits(card: WorkerCard): () => void;
  look(now: Instant): void;
}

interface UnclaimedWorkOptions {
  readonly executions: ReadonlyMap<string, WatchedExecution>;
  readonly leases: Pick<LeaseWatch, 'isLeased'>;
  planOf(execution: WatchedExecution): Plan | undefined;
}

/** A lost wake-up costs at most so many milliseconds. */
const LONGEST = 5_000;

export function createUnclaimedWork({ executions, leases, planOf }: UnclaimedWorkOptions): UnclaimedWork {
  const waiting = new Set<{ readonly card: WorkerCard }>();
  /** Since when work is left, by execution and key. */
  let left = new Map<string, Instant>();

  function* ready(): Generator<string> {
    for (const execution of executions.values()) {
      const plan = execution.isOver ? undefined : planOf(execution);
      if (plan === undefined || execution.events.length === 0) continue;
      const state = execution.stateAt(execution.events.length);
      for (const effect of pendingEffects(state)) {
        if (effect.kind !== 'dispatch' || leasable(state, effect.work) === undefined) continue;
        if (leases.isLeased(execution.id, workKey(effect.work)) || isKept(plan, effect.step, effect.work)) continue;
        const pool = plan.steps.get(effect.step)?.pool ?? '';
        if ([...waiting].some(({ card }) => isOfPool(card, pool))) yield `${execution.id} ${workKey(effect.work)}`;
      }
    }
  }

  return {
    waits(card) {
      const entry = { card };
      waiting.add(entry);
      return () => waiting.delete(entry);
    },
    look(now) {
      const before = left;
      left = new Map([...ready()].map((name) => [name, before.get(name) ?? now]));
      for (const [name, since] of left) {
        if (now - since <= LONGEST) continue;
        const text = `nobody claims ${name} since ${now - since} ms`;
        throw new Violation('ready work is claimed where a worker waits for it', text);
      }
    },
  };
}

/** Whether it may be for one worker alone, who may be busy. */
function isKept({ steps }: Plan, step: string, { path }: Work): boolean {
  let loop = steps.get(step)?.loop;
  for (let level = 0; loop !== undefined && level < path.length; level++, loop = loop.inner) {
    if (loop.exec === 'local') return true;
  }
  return false;
}
