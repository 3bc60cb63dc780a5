import { join } from 'node:path';
import { openDatabase } from '../../../packages/noetl/src/stores/sqlite/driver/open-database.ts';
import { STORE_FILE } from '../../../packages/noetl/src/stores/sqlite/store.ts';

/**
 * Something that the store did, in the order in which it did it: a lease was given, ended or given back, or events were
 * appended. The store writes it down itself, by triggers in its file: whatever the server takes for true has no say in it.
 */
export type StoreEntry =
  | {
      readonly kind: 'given' | 'ended';
      readonly at: number;
      readonly execution: string;
      readonly work: string;
      readonly epoch: number;
      readonly worker: string;
    }
  | {
      readonly kind: 'appended';
      readonly at: number;
      readonly execution: string;
      readonly first: number;
      readonly last: number;
    };

/** Milliseconds since 1970, as `Date.now()` tells them. */
const NOW = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";
const lease = (kind: string, row: 'old' | 'new'): string =>
  `INSERT INTO chaos_account (kind, at, execution, work, epoch, worker)
   VALUES ('${kind}', ${NOW}, ${row}.execution_id, ${row}.work, ${row}.epoch, ${row}.worker);`;

const TRIGGERS = `
  CREATE TABLE chaos_account (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, at INTEGER NOT NULL, execution TEXT NOT NULL,
    work TEXT, epoch INTEGER, worker TEXT, first INTEGER, last INTEGER
  );
  CREATE TRIGGER chaos_first_lease AFTER INSERT ON leases WHEN new.worker IS NOT NULL BEGIN ${lease('given', 'new')} END;
  CREATE TRIGGER chaos_next_lease AFTER UPDATE ON leases WHEN new.worker IS NOT NULL AND new.epoch <> old.epoch
    BEGIN ${lease('given', 'new')} END;
  CREATE TRIGGER chaos_lease_back AFTER UPDATE ON leases WHEN old.worker IS NOT NULL AND new.worker IS NULL
    BEGIN ${lease('ended', 'old')} END;
  CREATE TRIGGER chaos_lease_over AFTER DELETE ON leases WHEN old.worker IS NOT NULL BEGIN ${lease('ended', 'old')} END;
  CREATE TRIGGER chaos_append AFTER INSERT ON events BEGIN
    INSERT INTO chaos_account (kind, at, execution, first, last)
    SELECT 'appended', ${NOW}, execution_id, new.first, new.last FROM executions WHERE id = new.execution;
  END;
`;

/** Lets the store of a data folder keep its account from now on. */
export async function keepAccount(data: string): Promise<void> {
  const database = await openDatabase(join(data, STORE_FILE));
  try {
    database.prepare('PRAGMA busy_timeout = 10000').get();
    database.exec(`BEGIN IMMEDIATE; ${TRIGGERS} COMMIT;`);
  } finally {
    database.close();
  }
}

/** The account of a store that nobody writes to any more. */
export async function keptAccount(data: string): Promise<readonly StoreEntry[]> {
  const database = await openDatabase(join(data, STORE_FILE));
  try {
    return database.prepare<StoreEntry>('SELECT * FROM chaos_account ORDER BY number').all();
  } finally {
    database.close();
  }
}
