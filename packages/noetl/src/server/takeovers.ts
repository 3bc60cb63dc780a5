import {
  type ExecutionState,
  failure,
  type OutcomeError,
  pendingEffects,
  runningWork,
  type Work,
  workKey,
} from '@noetl/engine';
import type { Leases } from '../ports/leases.ts';

/** Work whose process has died too often while it ran. */
export interface WornWork {
  readonly work: Work;
  readonly error: OutcomeError;
}

/** Executions that go on here because the process that drove them has died. */
export interface Takeovers {
  /** Counts a takeover of all work that was running, and answers with what was taken over too often (SPEC §9). */
  begin(id: string, state: ExecutionState, limit: number): Promise<readonly WornWork[]>;
  /** Counts a takeover of work whose worker is lost, and answers in the same way. The work is suspect then. */
  of(id: string, work: Work, limit: number): Promise<readonly WornWork[]>;
  has(id: string): boolean;
  /** Whether the process before may have died of the work. Who leases it asks, once. */
  isSuspect(id: string, work: Work): boolean;
  forget(id: string): void;
}

export function createTakeovers(leases: Leases): Takeovers {
  const suspects = new Map<string, Set<string>>();

  async function worn(id: string, works: readonly Work[], limit: number): Promise<readonly WornWork[]> {
    const counts = await counted(id, works, leases);
    return works.flatMap((work, nth) => ((counts[nth] ?? 0) > limit ? [{ work, error: wornOut(limit) }] : []));
  }

  return {
    async begin(id, state, limit) {
      const pending = pendingEffects(state).flatMap((effect) => (effect.kind === 'dispatch' ? [effect.work] : []));
      suspects.set(id, new Set(pending.map(workKey)));
      return worn(id, runningWork(state), limit);
    },
    of(id, work, limit) {
      suspects.set(id, (suspects.get(id) ?? new Set()).add(workKey(work)));
      return worn(id, [work], limit);
    },
    has: (id) => suspects.has(id),
    isSuspect: (id, work) => suspects.get(id)?.delete(workKey(work)) ?? false,
    forget: (id) => {
      suspects.delete(id);
    },
  };
}

/** A lease that counts, and is given back at once. Work that somebody has a valid lease on is not taken over. */
async function counted(
  execution: string,
  works: readonly Work[],
  leases: Leases,
): Promise<readonly (number | undefined)[]> {
  if (works.length === 0) return [];
  const claims = works.map((work) => ({
    execution,
    work: workKey(work),
    worker: 'takeovers',
    ttl: 1,
    takeover: true,
  }));
  const claimed = await leases.claim(claims);
  await leases.release(claimed.filter((lease) => lease !== undefined));
  return claimed.map((lease) => lease?.takeovers);
}

const wornOut = (limit: number): OutcomeError =>
  failure(
    'limit.takeovers',
    `its process has died ${limit + 1} times while it ran, and it is not tried again; often there is too little memory.`,
    { takeovers: limit },
  );
