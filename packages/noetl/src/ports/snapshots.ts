import { hash } from 'node:crypto';

/**
 * States of executions at positions of their logs: a cache, so that a long log need not be folded from its start. Losing
 * one costs time and nothing else. A snapshot is found only if it is whole, and if the log at its position is the log it
 * was made of, so that neither damage nor a changed log can come back as state.
 */
export interface Snapshots {
  /** Keeps the newest two of an execution. A position that the log does not have is left out. */
  put(snapshot: Snapshot): Promise<void>;
  /** The newest of this form at the position or before it, ready to be used. */
  find(execution: string, format: number, until: number): Promise<Snapshot | undefined>;
  /** Everything that is kept for an execution, oldest first, also what `find` would not use, and why. */
  list(execution: string): Promise<readonly KeptSnapshot[]>;
}

export interface Snapshot {
  readonly execution: string;
  readonly position: number;
  readonly format: number;
  /** An encoded state, as JSON. */
  readonly state: string;
}

export interface KeptSnapshot extends Snapshot {
  readonly flaw: SnapshotFlaw | undefined;
}

/** It is not what was put; or the log at its position is not what it was. */
export type SnapshotFlaw = 'damaged' | 'of another log';

export const KEPT_SNAPSHOTS = 2;

/** Whether it is still what was put: of its parts, and of the hash of the event at its position. */
export const snapshotChecksum = ({ execution, position, format, state }: Snapshot, logHash: string): string =>
  hash('sha256', JSON.stringify([execution, position, format, logHash, state]), 'hex');
