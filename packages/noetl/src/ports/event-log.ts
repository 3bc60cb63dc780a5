import type { ExecutionEvent, ManifestSource, Milestone } from '@noetl/engine';
import type { LeaseId, Leases } from './leases.ts';

/**
 * The truth: what was appended happened, in the order of its positions (EVT-3). The leases live in the same store,
 * because an append checks and ends them in its transaction.
 */
export interface EventLog extends Leases {
  /**
   * Appends in the order given, each on its own terms: one that is refused leaves nothing behind and holds no other up.
   * What is answered is durable, and every later read sees it. Events that do not continue `expected` without a gap are
   * a bug of the caller: the call fails, and nothing of the batch is kept.
   */
  append(batch: readonly Append[]): Promise<readonly Appended[]>;
  /** Events behind the position as they were appended, byte for byte, oldest first, at most `limit`. */
  read(execution: string, after: number, limit: number): Promise<readonly ExecutionEvent[]>;
  /** The position of the newest event; 0 for an execution that does not exist. */
  position(execution: string): Promise<number>;
  /**
   * The ends of iterations that a source of a manifest names, by index, from the index `from` on, at most `limit`. An
   * index whose iteration has not ended is left out.
   */
  iterations(source: ManifestSource, from: number, limit: number): Promise<readonly ExecutionEvent[]>;
  /**
   * The next milestones of a kind behind a position, oldest first, as many as are at hand; none once there are no more.
   * Only those behind `FIRST_EVENTS` are known: what is shorter is read as a whole. Undefined for an execution that was
   * longer before milestones were listed.
   */
  milestones(execution: string, kind: Milestone, after: number): Promise<readonly ExecutionEvent[] | undefined>;
}

/** So many events are read in a moment: an execution that never has more costs its store nothing for milestones. */
export const FIRST_EVENTS = 1_000;

export interface Append {
  readonly execution: string;
  /** The position the events were decided on: the newest of the execution. */
  readonly expected: number;
  /** May be empty: then only the terms are checked. */
  readonly events: readonly ExecutionEvent[];
  /** The leases under which a worker reported: each is the newest on its work and was not given back. */
  readonly under: readonly Omit<LeaseId, 'execution'>[];
  /** Work, by key, that the decision took for unclaimed: none has a valid lease. */
  readonly unclaimed: readonly string[];
  /** Names the append among those of its process. */
  readonly id?: number;
  /**
   * The append of the same process, not answered yet, that the events were decided on: it must be the newest of the
   * execution. A position alone does not tell what was appended there: it may be what somebody decided instead.
   */
  readonly after?: number;
  /** The process that decided: it is known as a driver, and nobody has buried it. */
  readonly driver?: string;
  /** The driver takes the execution, which these are the first events of. */
  readonly takes?: boolean;
}

export type Appended =
  | { readonly kind: 'appended' }
  /** Somebody else appended, or claimed what was taken for unclaimed: read and decide again. */
  | { readonly kind: 'conflict' }
  /**
   * The lease is gone: its worker has to stop. As deciding again would not bring it back, this is the answer also where
   * there is a conflict.
   */
  | { readonly kind: 'fenced'; readonly work: string }
  /** The process was taken for dead: it must stop, whatever the other terms say. */
  | { readonly kind: 'lost' };
