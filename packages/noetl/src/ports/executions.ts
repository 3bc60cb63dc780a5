import type { ExecutionFacts, ExecutionStatus } from './execution-facts.ts';

/** The executions of a store, as its log has them: written by appends, in their transaction, and by nobody else. */
export interface Executions {
  get(execution: string): Promise<ExecutionEntry | undefined>;
  /** Newest first, from behind the entry with the number `before`; all that the filter lets through if it is empty. */
  list(filter: ExecutionFilter, before: number | undefined, limit: number): Promise<readonly ExecutionEntry[]>;
  /** Those that have not ended, oldest first, from behind the entry with the number `after`. */
  unfinished(after: number, limit: number): Promise<readonly ExecutionEntry[]>;
  /**
   * Forgets an execution that is over with all that is kept of it: log, snapshots, what its tools printed. Everything or
   * nothing. False if there is none, if it is not over, or if something was forked from it that is still there (ENG-15).
   */
  remove(execution: string): Promise<boolean>;
}

export interface ExecutionFilter {
  readonly status?: ExecutionStatus;
  readonly path?: string;
  /** Those whose path is this one, or below it. */
  readonly within?: string;
  /** Those that this execution called; null for those that no execution called. */
  readonly parent?: string | null;
}

export interface ExecutionEntry extends ExecutionFacts {
  readonly execution: string;
  /** In the order in which the store has met them, from 1. */
  readonly number: number;
  /** The position of the newest event. */
  readonly position: number;
  /** The hash of the newest event: SHA-256, in hex, of the hash before it (nothing for the first) and its JSON. */
  readonly hash: string;
}
