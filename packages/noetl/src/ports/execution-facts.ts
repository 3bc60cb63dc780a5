import type { Instant } from '@noetl/engine';

/** What the index of executions says about one, beside its position. */
export interface ExecutionFacts {
  readonly path: string;
  readonly version: string | number | null;
  readonly contentHash: string;
  readonly parent: string | undefined;
  /** Of a fork: the execution, and the position in it, that it was made from. */
  readonly origin: Origin | undefined;
  readonly status: ExecutionStatus;
  readonly requestedAt: Instant;
  /** Undefined while it is unfinished. */
  readonly endedAt: Instant | undefined;
}

interface Origin {
  readonly execution: string;
  readonly position: number;
}

export type ExecutionStatus = 'running' | 'paused' | 'success' | 'error' | 'cancelled';

/** Before the log has said anything. */
export const UNKNOWN_FACTS: ExecutionFacts = {
  path: '',
  version: null,
  contentHash: '',
  parent: undefined,
  origin: undefined,
  status: 'running',
  requestedAt: 0,
  endedAt: undefined,
};
