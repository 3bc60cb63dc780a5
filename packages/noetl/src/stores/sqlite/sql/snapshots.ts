import {
  type KeptSnapshot,
  outdated,
  type Snapshot,
  type SnapshotFlaw,
  snapshotChecksum,
} from '../../../ports/snapshots.ts';
import type { Database } from '../driver/database.ts';
import { hashIn, MOST_EVENTS } from './event-rows.ts';
import type { Heads } from './heads.ts';
import { anyTextOf, type StoredText } from './stored-text.ts';

/** A row of `snapshots`. */
interface Row {
  readonly position: number;
  readonly format: number;
  readonly hash: StoredText;
  readonly checksum: StoredText;
  readonly state: StoredText;
}

const SELECT = `SELECT position, format, CAST(hash AS BLOB) AS hash, CAST(checksum AS BLOB) AS checksum,
  CAST(state AS BLOB) AS state FROM snapshots`;

export function snapshotOperations(database: Database, heads: Heads) {
  const insert = database.prepare(
    'INSERT OR REPLACE INTO snapshots (execution, position, format, hash, checksum, state) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const positions = database.prepare<{ readonly position: number }>(
    'SELECT position FROM snapshots WHERE execution = ? ORDER BY position',
  );
  const remove = database.prepare('DELETE FROM snapshots WHERE execution = ? AND position = ?');
  const all = database.prepare<Row>(`${SELECT} WHERE execution = ? ORDER BY position`);
  const before = database.prepare<Row>(
    `${SELECT} WHERE execution = ? AND format = ? AND position <= ? ORDER BY position DESC`,
  );
  const rowAt = database.prepare<{ readonly first: number; readonly hashes: StoredText }>(
    `SELECT first, CAST(hashes AS BLOB) AS hashes FROM events WHERE execution = ?1 AND last >= ?2 AND last < ?2 + ${MOST_EVENTS} AND first <= ?2
     ORDER BY last LIMIT 1`,
  );

  function hashAt(id: number, position: number): string | undefined {
    const row = rowAt.get(id, position);
    return row === undefined ? undefined : hashIn({ first: row.first, hashes: anyTextOf(row.hashes) }, position);
  }

  function flawOf(id: number, execution: string, row: Row): SnapshotFlaw | undefined {
    const hash = anyTextOf(row.hash);
    if (hashAt(id, row.position) !== hash) return 'of another log';
    return snapshotChecksum(snapshotIn(execution, row), hash) === anyTextOf(row.checksum) ? undefined : 'damaged';
  }

  return {
    reads: {
      findSnapshot: (execution: string, format: number, until: number): Snapshot | undefined => {
        const id = heads.get(execution)?.id;
        if (id === undefined) return undefined;
        const row = before.all(id, format, until).find((kept) => flawOf(id, execution, kept) === undefined);
        return row === undefined ? undefined : snapshotIn(execution, row);
      },
      snapshots: (execution: string): readonly KeptSnapshot[] => {
        const id = heads.get(execution)?.id;
        if (id === undefined) return [];
        return all.all(id).map((row) => ({ ...snapshotIn(execution, row), flaw: flawOf(id, execution, row) }));
      },
    },
    writes: {
      putSnapshot: (snapshot: Snapshot): void => {
        const { execution, position, format, state } = snapshot;
        const id = heads.get(execution)?.id;
        const hash = id === undefined ? undefined : hashAt(id, position);
        if (id === undefined || hash === undefined) return;
        insert.run(id, position, format, hash, snapshotChecksum(snapshot, hash), state);
        const kept = positions.all(id).map((row) => row.position);
        for (const past of outdated(kept, snapshot)) remove.run(id, past);
      },
    },
  };
}

const snapshotIn = (execution: string, { position, format, state }: Row): Snapshot => ({
  execution,
  position,
  format,
  state: anyTextOf(state),
});
