import { type Assignment, type Plan, type Work, workKey } from '@noetl/engine';

/** Work that is leased, by the worker inside this process or by one in another: it ends when the work does. */
export interface AssignedWork {
  readonly execution: string;
  readonly plan: Plan;
  readonly assignment: Assignment;
  /** Whether a process may have died of the work: that it has begun must be known before anything is done. */
  readonly isSuspect: boolean;
  /** Whether the work must stop: cancel, timeout of its step, end of the execution. */
  isStopped(): boolean;
  /** Aborted when it must stop. Most work ends before anybody asks for it, so it is made for who asks. */
  readonly signal: AbortSignal;
}

interface Lease extends AssignedWork {
  /** Somebody wanted the work while it was leased. */
  missed: boolean;
  stop(): void;
}

/** The leases on work of the executions that this process drives: at most one for each piece of work. */
export interface HeldLeases {
  /** Undefined if somebody has the work already. */
  give(execution: string, plan: Plan, assignment: Assignment, isSuspect: boolean): AssignedWork | undefined;
  isHeld(lease: AssignedWork): boolean;
  of(execution: string): readonly AssignedWork[];
  /** Whether somebody has the work. */
  isTaken(execution: string, work: Work): boolean;
  /**
   * The lease is gone, and whoever still runs the work is told to stop. True if the work was wanted in the meantime: one
   * that waits may be ready again before its worker has let go of it.
   */
  end(lease: AssignedWork): boolean;
  endAll(): void;
}

export function createHeldLeases(): HeldLeases {
  const held = new Map<string, Map<string, Lease>>();

  const find = (execution: string, work: Work): Lease | undefined => held.get(execution)?.get(workKey(work));
  const of = (execution: string): readonly Lease[] => [...(held.get(execution)?.values() ?? [])];

  function end({ execution, assignment }: AssignedWork): boolean {
    const leases = held.get(execution);
    const key = workKey(assignment.work);
    const lease = leases?.get(key);
    if (leases === undefined || lease?.assignment !== assignment) return false;
    leases.delete(key);
    if (leases.size === 0) held.delete(execution);
    lease.stop();
    return lease.missed;
  }

  return {
    give(execution, plan, assignment, isSuspect) {
      const leases = held.get(execution) ?? new Map<string, Lease>();
      const key = workKey(assignment.work);
      const taken = leases.get(key);
      if (taken !== undefined) {
        taken.missed = true;
        return undefined;
      }
      const lease = newLease(execution, plan, assignment, isSuspect);
      held.set(execution, leases.set(key, lease));
      return lease;
    },
    isHeld: ({ execution, assignment }) => find(execution, assignment.work)?.assignment === assignment,
    of,
    isTaken: (execution, work) => find(execution, work) !== undefined,
    end,
    endAll: () => [...held.keys()].flatMap(of).forEach(end),
  };
}

function newLease(execution: string, plan: Plan, assignment: Assignment, isSuspect: boolean): Lease {
  let abort: AbortController | undefined;
  let stopped = false;
  return {
    execution,
    plan,
    assignment,
    isSuspect,
    isStopped: () => stopped,
    missed: false,
    get signal() {
      if (abort === undefined) {
        abort = new AbortController();
        if (stopped) abort.abort();
      }
      return abort.signal;
    },
    stop() {
      stopped = true;
      abort?.abort();
    },
  };
}
