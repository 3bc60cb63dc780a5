import type { Instant } from '@noetl/engine';

/** What the index of executions says about one, beside its position. */
export interface ExecutionFacts {
  readonly path: string;
  readonly version: string | number | null;
  readonly contentHash: string;
  readonly parent: string | undefined;
  readonly status: ExecutionStatus;
  readonly requestedAt: Instant;
  /** Undefined while it is unfinished. */
  readonly endedAt: Instant | undefined;
}

export type ExecutionStatus = 'running' | 'paused' | 'success' | 'error' | 'cancelled';

/** Before the log has said anything. */
export const UNKNOWN_FACTS: ExecutionFacts = {
  path: '',
  version: null,
  contentHash: '',
  parent: undefined,
  status: 'running',
  requestedAt: 0,
  endedAt: undefined,
};
