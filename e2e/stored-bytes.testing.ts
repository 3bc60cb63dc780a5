import { join } from 'node:path';
import type { Database, SqlValue } from '../packages/noetl/src/stores/sqlite/driver/database.ts';
import { openDatabase } from '../packages/noetl/src/stores/sqlite/driver/open-database.ts';
import { STORE_FILE } from '../packages/noetl/src/stores/sqlite/store.ts';

/** The database of a data folder as somebody sees it who wants to change history. */
export interface StoredBytes {
  /** Where the bytes of an event are. */
  place(execution: string, seq: number): EventPlace;
  /** All positions of a log. */
  positions(execution: string): readonly number[];
  bytes(column: 'bodies' | 'hashes', gid: number): Buffer;
  write(column: 'bodies' | 'hashes', gid: number, bytes: Buffer): void;
  run(sql: string, ...values: readonly SqlValue[]): number;
  all<Row>(sql: string, ...values: readonly SqlValue[]): readonly Row[];
  close(): void;
}

interface EventPlace {
  readonly gid: number;
  /** The bytes of its text among those of the row. */
  readonly from: number;
  readonly to: number;
  /** Its place among the hashes of the row. */
  readonly nth: number;
}

const SEPARATOR = Buffer.from(',\n');

export async function openStoredBytes(data: string): Promise<StoredBytes> {
  const database: Database = await openDatabase(join(data, STORE_FILE));
  const rowOf = database.prepare<{ readonly gid: number; readonly first: number; readonly text: string }>(
    `SELECT gid, first, hex(bodies) AS text FROM events JOIN executions ON executions.id = events.execution
     WHERE execution_id = ? AND ? BETWEEN first AND last`,
  );
  return {
    place(execution, seq) {
      const row = rowOf.get(execution, seq);
      if (row === undefined) throw new Error(`there is no event ${seq} of ${execution}`);
      const bytes = Buffer.from(row.text, 'hex');
      let from = 0;
      for (let nth = row.first; nth < seq; nth++) from = bytes.indexOf(SEPARATOR, from) + SEPARATOR.length;
      const end = bytes.indexOf(SEPARATOR, from);
      return { gid: row.gid, from, to: end < 0 ? bytes.length : end, nth: seq - row.first };
    },
    positions(execution) {
      const last = database
        .prepare<{ readonly position: number }>('SELECT position FROM executions WHERE execution_id = ?')
        .get(execution)?.position;
      return Array.from({ length: last ?? 0 }, (_, index) => index + 1);
    },
    bytes(column, gid) {
      const row = database.prepare<{ readonly text: string }>(
        `SELECT hex(${column}) AS text FROM events WHERE gid = ?`,
      );
      return Buffer.from(row.get(gid)?.text ?? '', 'hex');
    },
    write(column, gid, bytes) {
      const update = database.prepare(`UPDATE events SET ${column} = CAST(unhex(?) AS TEXT) WHERE gid = ?`);
      update.run(bytes.toString('hex'), gid);
    },
    run: (sql, ...values) => database.prepare(sql).run(...values).changes,
    all: <Row>(sql: string, ...values: readonly SqlValue[]) => database.prepare<Row>(sql).all(...values),
    close: () => database.close(),
  };
}

/** The bytes with one bit of one of them turned over. */
export function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ (1 << bit);
  return changed;
}
