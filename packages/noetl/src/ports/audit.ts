import type { Instant } from '@noetl/engine';

/** Who changed what, and who was refused; never with what was sent. */
export interface Audit {
  note(entries: readonly AuditNote[]): Promise<void>;
  /** Newest first, from behind the entry with the number `before`. */
  list(before: number | undefined, limit: number): Promise<readonly AuditEntry[]>;
}

export interface AuditNote {
  readonly at: Instant;
  readonly by: string;
  /** The address that the request came from; undefined for what a command did on the folder. */
  readonly from: string | undefined;
  /** `POST /api/tokens ci (runner)`, or `noetl token create ci`. */
  readonly what: string;
  /** Of the answer; undefined for what a command did on the folder. */
  readonly status: number | undefined;
}

export interface AuditEntry extends AuditNote {
  /** From 1. */
  readonly number: number;
}
