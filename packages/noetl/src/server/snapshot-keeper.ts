import { type ExecutionState, encodedText, SNAPSHOT_FORMAT } from '@noetl/engine';
import type { Snapshot, Snapshots } from '../ports/snapshots.ts';

/** So many events are folded in a moment: an execution that never has more needs no snapshot. */
const FIRST = 2_000;

/** Whoever looks at an execution that runs has to fold no more, also where the machine has much to do. */
const BETWEEN = 1_000;

/** Of a state of so many characters a snapshot costs a few hundredths of what the events cost; larger ones come later. */
const CHARACTERS = 64 * 1024;

/** A state that is larger costs more to write again and again than the log costs to fold. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

export interface SnapshotKeeper {
  /** Told after every commit: now and then the state is kept, and nobody waits for it. */
  committed(execution: string, state: ExecutionState): void;
}

export function createSnapshotKeeper(snapshots: Snapshots, { first = FIRST, between = BETWEEN } = {}): SnapshotKeeper {
  /** The next position of which a snapshot is made, by execution. */
  const due = new Map<string, number>();
  /** One at a time: a slow store must not pile them up. */
  let writing = false;

  const following = (seq: number, characters = 0): number =>
    seq - (seq % between) + between * Math.max(1, Math.ceil(characters / CHARACTERS));

  function keep(snapshot: Snapshot): void {
    writing = true;
    const done = (): void => {
      writing = false;
    };
    // Also where it could not be written: an execution goes on without it.
    snapshots.put(snapshot).then(done, done);
  }

  return {
    committed(execution, state) {
      const { seq, phase } = state;
      // Nobody goes on with an execution that is over.
      if (phase === 'processed') {
        due.delete(execution);
        return;
      }
      const next = due.get(execution);
      if (next === undefined) due.set(execution, Math.max(first, following(seq)));
      if (next === undefined || seq < next || writing) return;
      const text = encodedText(state);
      const fits = text.length <= MOST_CHARACTERS;
      due.set(execution, fits ? following(seq, text.length) : 2 * seq);
      if (fits) keep({ execution, position: seq, format: SNAPSHOT_FORMAT, state: text });
    },
  };
}
