import type { Instant } from '@noetl/engine';

/** Something that took time, as OpenTelemetry tells it. Only what is over becomes one. */
export interface TraceSpan {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id: string | undefined;
  readonly name: string;
  /** Who asked, and who answers: `client` waits for a program elsewhere, `server` was asked from elsewhere. */
  readonly kind: SpanKind;
  readonly start: Instant;
  readonly end: Instant;
  readonly attributes: Attributes;
  /** What happened in between. */
  readonly events: readonly SpanEvent[];
  /** How many more there were. */
  readonly dropped_events: number;
  readonly links: readonly SpanLink[];
  readonly error: SpanError | undefined;
}

export type SpanKind = 'internal' | 'server' | 'client';

/** SEC-3: names, ids, numbers and what the log says without secrets; no value of a playbook. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanEvent {
  readonly name: string;
  readonly at: Instant;
  readonly attributes: Attributes;
}

export interface SpanLink {
  readonly trace_id: string;
  readonly span_id: string;
}

export interface SpanError {
  readonly kind: string;
  readonly message: string;
}
