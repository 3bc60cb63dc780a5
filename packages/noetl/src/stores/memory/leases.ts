import type { Instant } from '@noetl/engine';
import type { Clock } from '../../ports/clock.ts';
import { isOfRun, type LeaseEnd } from '../../ports/lease-end.ts';
import type { LeaseId, Leases } from '../../ports/leases.ts';

/** Leases, and what an append has to know and do about them. */
export interface MemoryLeases extends Leases {
  /** Whether the lease is the newest on its work and was not given back. */
  isHeld(lease: LeaseId): boolean;
  /** Whether a lease on the work is valid. */
  isClaimed(execution: string, work: string): boolean;
  end(execution: string, end: LeaseEnd): void;
  /** Gives back what a worker holds in an execution. */
  giveBackOf(execution: string, worker: string): void;
}

/** The newest lease on a piece of work; without a holder it was given back. */
interface Newest {
  readonly epoch: number;
  readonly takeovers: number;
  readonly holder: { readonly worker: string; readonly until: Instant } | undefined;
}

export function createMemoryLeases(clock: Clock): MemoryLeases {
  const executions = new Map<string, Map<string, Newest>>();

  const newest = (execution: string, work: string): Newest | undefined => executions.get(execution)?.get(work);

  function set(execution: string, work: string, lease: Newest): void {
    const works = executions.get(execution);
    if (works === undefined) executions.set(execution, new Map([[work, lease]]));
    else works.set(work, lease);
  }

  /** The lease in the table, if it is still there. */
  function held({ execution, work, epoch }: LeaseId): NonNullable<Newest['holder']> | undefined {
    const lease = newest(execution, work);
    return lease?.epoch === epoch ? lease.holder : undefined;
  }

  function isClaimed(execution: string, work: string): boolean {
    const holder = newest(execution, work)?.holder;
    return holder !== undefined && holder.until > clock.now();
  }

  function giveBack(execution: string, work: string): void {
    const lease = newest(execution, work);
    if (lease !== undefined) set(execution, work, { ...lease, holder: undefined });
  }

  return {
    isHeld: (lease) => held(lease) !== undefined,
    isClaimed,
    end(execution, end) {
      const works = executions.get(execution);
      if (works === undefined) return;
      if (end.of === 'suspended work') giveBack(execution, end.work);
      else if (end.of === 'work') works.delete(end.work);
      else if (end.of === 'execution') executions.delete(execution);
      else for (const work of works.keys()) if (isOfRun(work, end.run)) works.delete(work);
    },
    giveBackOf(execution, worker) {
      for (const [work, { holder }] of executions.get(execution) ?? [])
        if (holder?.worker === worker) giveBack(execution, work);
    },
    claim: async (claims) =>
      claims.map(({ execution, work, worker, ttl, takeover = false }) => {
        if (isClaimed(execution, work)) return undefined;
        const before = newest(execution, work);
        const epoch = (before?.epoch ?? 0) + 1;
        const takeovers = (before?.takeovers ?? 0) + (takeover ? 1 : 0);
        set(execution, work, { epoch, takeovers, holder: { worker, until: clock.now() + ttl } });
        return { execution, work, epoch, takeovers };
      }),
    renew: async (renewals) =>
      renewals.map(({ ttl, ...lease }) => {
        const found = newest(lease.execution, lease.work);
        const holder = held(lease);
        if (found === undefined || holder === undefined) return false;
        set(lease.execution, lease.work, { ...found, holder: { worker: holder.worker, until: clock.now() + ttl } });
        return true;
      }),
    release: async (leases) => {
      for (const lease of leases) if (held(lease) !== undefined) giveBack(lease.execution, lease.work);
    },
    leases: async (execution, which = 'valid') => {
      const now = clock.now();
      return [...(executions.get(execution) ?? [])].flatMap(([work, { epoch, holder }]) =>
        holder !== undefined && (which === 'all' || holder.until > now)
          ? [{ execution, work, epoch, worker: holder.worker, remaining: holder.until - now }]
          : [],
      );
    },
  };
}
