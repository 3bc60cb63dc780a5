import type { Json } from '@noetl/playbook';

/** TOOL-1: what one attempt of a task came to. */
export interface Outcome {
  readonly status: 'ok' | 'error';
  readonly result: Json;
  readonly error?: OutcomeError;
  readonly meta: OutcomeMeta;
  /** What only some kinds report: `http`, `pg`, `py`. */
  readonly http?: Json;
  readonly pg?: Json;
  readonly py?: Json;
}

export interface OutcomeError {
  /** A stable word such as `timeout` or `http.status`. */
  readonly kind: string;
  readonly retryable: boolean;
  readonly message: string;
  readonly details: Json;
}

export interface OutcomeMeta {
  readonly attempt: number;
  readonly duration_ms: number;
  /** RFC 3339, when it ended. */
  readonly ts: string;
  readonly trace_id?: string;
}
