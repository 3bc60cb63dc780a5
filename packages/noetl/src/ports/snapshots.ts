import { hash } from 'node:crypto';

/**
 * States of executions at positions of their logs: a cache, so that a long log need not be folded from its start. Losing
 * one costs time and nothing else. A snapshot is found only if it is whole, and if the log at its position is the log it
 * was made of, so that neither damage nor a changed log can come back as state.
 */
export interface Snapshots {
  /** Keeps it, and lets go what `outdated` names. A position that the log does not have is left out. */
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

/** States that are larger are kept at the newest two positions only. */
const LARGE = 256 * 1024;

/**
 * Which of an execution's positions, oldest first, are needed no more. The newest two are always kept; of the others fewer
 * and fewer the further back they are: no position is further behind one that is kept than it is from the newest.
 */
export function outdated(positions: readonly number[], newest: Snapshot): readonly number[] {
  if (newest.state.length > LARGE) return positions.slice(0, -2);
  const [last = 0, before = last] = positions.toReversed();
  let next = before;
  return positions
    .slice(0, -2)
    .toReversed()
    .filter((position, nth, older) => {
      const behind = older[nth + 1];
      const needed = behind === undefined || next - behind > last - next;
      if (needed) next = position;
      return !needed;
    });
}

/** Whether it is still what was put: of its parts, and of the hash of the event at its position. */
export const snapshotChecksum = ({ execution, position, format, state }: Snapshot, logHash: string): string =>
  hash('sha256', JSON.stringify([execution, position, format, logHash, state]), 'hex');
