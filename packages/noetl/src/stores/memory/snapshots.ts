import { outdated, type Snapshot, type SnapshotFlaw, type Snapshots, snapshotChecksum } from '../../ports/snapshots.ts';

/** A snapshot with the hash of the event at its position, and what it is checked by. */
export interface StampedSnapshot extends Snapshot {
  readonly hash: string;
  readonly checksum: string;
}

/** Snapshots that live as long as the process, by execution. `hashAt` is the hash of an event, as the log has it. */
export function createMemorySnapshots(
  hashAt: (execution: string, position: number) => string | undefined,
  kept: Map<string, readonly StampedSnapshot[]> = new Map(),
): Snapshots {
  const of = (execution: string): readonly StampedSnapshot[] => kept.get(execution) ?? [];

  function flawOf(stamped: StampedSnapshot): SnapshotFlaw | undefined {
    if (hashAt(stamped.execution, stamped.position) !== stamped.hash) return 'of another log';
    return snapshotChecksum(stamped, stamped.hash) === stamped.checksum ? undefined : 'damaged';
  }

  return {
    put: async (snapshot) => {
      const { execution, position, format, state } = snapshot;
      const hash = hashAt(execution, position);
      if (hash === undefined) return;
      const stamped = { execution, position, format, state, hash, checksum: snapshotChecksum(snapshot, hash) };
      const others = of(execution).filter((other) => other.position !== position);
      const ordered = [...others, stamped].sort((one, other) => one.position - other.position);
      const past = outdated(
        ordered.map((one) => one.position),
        snapshot,
      );
      kept.set(
        execution,
        ordered.filter((one) => !past.includes(one.position)),
      );
    },
    find: async (execution, format, until) => {
      const usable = of(execution).findLast(
        (stamped) => stamped.position <= until && stamped.format === format && flawOf(stamped) === undefined,
      );
      return usable === undefined ? undefined : snapshotIn(usable);
    },
    list: async (execution) => of(execution).map((stamped) => ({ ...snapshotIn(stamped), flaw: flawOf(stamped) })),
  };
}

const snapshotIn = ({ execution, position, format, state }: Snapshot): Snapshot => ({
  execution,
  position,
  format,
  state,
});
