import { type Cause, leasable, type OutcomeError, type WorkerEvent } from '@noetl/engine';
import type { AssignedWork, HeldLeases } from './held-leases.ts';
import type { Answer, LiveExecution } from './live-execution.ts';
import type { LoopPlaces } from './loop-places.ts';
import type { Takeovers } from './takeovers.ts';
import type { QueuedWork, Taker, WorkQueue } from './work-queue.ts';
import { isOfPool, type PoolMember } from './worker-pool.ts';

/** Where the worker of a process gets its work, and tells what became of it. */
export interface OwnWork {
  claim(max: number, signal: AbortSignal): Promise<readonly AssignedWork[]>;
  /** False once the lease is gone: the work must stop. */
  report(work: AssignedWork, events: readonly WorkerEvent[]): Promise<boolean>;
  /** The work is not going on here: it ended or waits, or it cannot be done, and why. */
  release(work: AssignedWork, failed?: OutcomeError): void;
  /** What was done cannot be told: the execution cannot go on in this process, only from its log. */
  abandon(work: AssignedWork, reason: unknown): void;
}

export interface OwnSurroundings {
  readonly queue: WorkQueue;
  readonly held: HeldLeases;
  readonly places: LoopPlaces;
  readonly takeovers: Takeovers;
  /** The pool that the worker of this process is of; undefined if there are no others and it does everything. */
  readonly member: PoolMember | undefined;
  find(execution: string): LiveExecution | undefined;
  submit(execution: string, cause: Cause): Promise<Answer>;
  tell(execution: string, cause: Cause): void;
  ready(execution: string, work: QueuedWork['work'], step: string): void;
  giveUp(execution: string, reason: unknown): void;
}

/** No worker of another process has this name. */
const HERE = '';

/** The work of the worker inside this process: its leases need no store, and end with the process. */
export function createOwnWork(around: OwnSurroundings): OwnWork {
  const { queue, held, places, takeovers, member } = around;
  const taker: Taker | undefined = member && {
    serves: (pool) => isOfPool(member, pool),
    mayTake: ({ execution, work, step }) => {
      const plan = around.find(execution)?.plan;
      return plan === undefined || places.take(execution, plan, step, work, HERE);
    },
  };
  return {
    async claim(max, signal) {
      const claimed: AssignedWork[] = [];
      for (const { execution: id, work } of await queue.take(max, signal, taker)) {
        const execution = around.find(id);
        const assignment = execution === undefined ? undefined : leasable(execution.decided(), work);
        if (execution === undefined || assignment === undefined) continue;
        const lease = held.give(id, execution.plan, assignment, takeovers.isSuspect(id, work));
        if (lease !== undefined) claimed.push(lease);
      }
      return claimed;
    },
    async report(work, events) {
      if (!held.isHeld(work)) return false;
      const answer = await around.submit(work.execution, { kind: 'report', work: work.assignment.work, events });
      return answer.kind === 'done' && held.isHeld(work);
    },
    release(work, failed) {
      if (held.isHeld(work) && failed !== undefined) {
        around.tell(work.execution, { kind: 'give-up', work: work.assignment.work, error: failed });
      }
      if (held.end(work)) around.ready(work.execution, work.assignment.work, work.assignment.step);
    },
    abandon(work, reason) {
      held.end(work);
      around.giveUp(work.execution, reason);
    },
  };
}
