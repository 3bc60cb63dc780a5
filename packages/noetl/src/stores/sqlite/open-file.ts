import { existsSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { StoreError } from '../../ports/store-error.ts';
import { type Database, RESULT, SqliteFailure } from './driver/database.ts';
import { type DriverName, openDatabase } from './driver/open-database.ts';
import { MIGRATIONS } from './migrations.ts';
import { patientlyAnew } from './patience.ts';
import { storeFailure } from './store-failure.ts';

/** `NOET`: marks the file as ours. */
const APPLICATION = 0x4e4f4554;

/** Pages of the write-ahead log after which it is copied into the file: fewer copies of pages that change often. */
const CHECKPOINT_PAGES = 4_000;

export interface FileToOpen {
  readonly file: string;
  readonly driver: DriverName | undefined;
  /** Whether reading is enough. */
  readonly look: boolean;
}

/** A database with the newest tables, made if it is not there; for a look, the one that is there. */
export async function openFile({ file, driver, look }: FileToOpen): Promise<Database> {
  try {
    if (look && !existsSync(file)) throw new SqliteFailure(RESULT.cannotOpen, 'it is not there');
    const left = !look && sizeOf(`${file}-wal`) > 0;
    return await openPrepared(file, driver, (database) => prepareFile(database, file, left));
  } catch (error) {
    if (look && isUnwritable(error)) return openUnwritable(file, driver, error);
    throw storeFailure(error, file);
  }
}

async function openPrepared(
  name: string,
  driver: DriverName | undefined,
  prepare: (database: Database) => void,
): Promise<Database> {
  // A statement that met a lock may stay in progress, and keep its database from ever writing: each try has a new one.
  return patientlyAnew(async () => {
    const database = await openDatabase(name, driver);
    try {
      prepare(database);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  });
}

const isUnwritable = (error: unknown): boolean => error instanceof SqliteFailure && UNWRITABLE.has(error.result);

const UNWRITABLE = new Set<number>([RESULT.permission, RESULT.readOnly, RESULT.cannotOpen]);

/**
 * SQLite wants to write also to read: the file through which processes agree on the write-ahead log. Nobody who writes
 * has the file open if there is no such log; then it is read as one that does not change.
 */
async function openUnwritable(file: string, driver: DriverName | undefined, reason: unknown): Promise<Database> {
  const log = `${file}-wal`;
  if (sizeOf(log) > 0) {
    throw unreadable(file, `'${log}' holds what is not in it yet`, reason);
  }
  const unchanging = `${pathToFileURL(file).href}?immutable=1`;
  return openPrepared(unchanging, driver, (database) => {
    assertKnown(database, file);
    if (versionOf(database) < MIGRATIONS.length) throw unreadable(file, 'an older release wrote it', reason);
  }).catch((error: unknown) => {
    throw storeFailure(isUnwritable(error) ? reason : error, file);
  });
}

const unreadable = (file: string, why: string, cause: unknown): StoreError =>
  new StoreError(
    'NOETL_STORE_READONLY',
    `'${file}' cannot be read where nothing can be written: ${why}. Copy the folder to where it can be written, and look there.`,
    { file },
    { cause },
  );

function prepareFile(database: Database, file: string, left: boolean): void {
  // Short: whoever writes waits by itself, in smaller steps than SQLite would.
  database.prepare('PRAGMA busy_timeout = 2').get();
  assertKnown(database, file);
  // Only `exec` tells of a change that could not be committed.
  database.exec('PRAGMA journal_mode = WAL');
  const mode = database.prepare<{ readonly journal_mode: string }>('PRAGMA journal_mode').get()?.journal_mode;
  if (mode !== 'wal') throw new SqliteFailure(RESULT.readOnly, `the journal mode is ${mode}`);
  database.exec('PRAGMA synchronous = FULL');
  database.prepare(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`).get();
  database.prepare(`PRAGMA journal_size_limit = ${64 * 1024 * 1024}`).get();
  if (versionOf(database) < MIGRATIONS.length) migrate(database, file);
  if (left) settle(database);
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * What a dead process left in the write-ahead log is read from the memory of the system, and may be less on the disk if a
 * sync of it had failed; whatever is appended behind it would be lost with it. So it is copied into the file, and that is
 * synced, before anything rests on it. Nobody waits for that: where another process writes, it minds its own log.
 */
function settle(database: Database): void {
  database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
}

/** Another process may do the same at the same moment: the lock is taken first, then the version is read. */
function migrate(database: Database, file: string): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    assertKnown(database, file);
    for (const step of MIGRATIONS.slice(versionOf(database))) database.exec(step);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    database.exec(`PRAGMA application_id = ${APPLICATION}`);
    database.exec('COMMIT');
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // SQLite has done it already: there is no transaction left.
  }
}

function assertKnown(database: Database, file: string): void {
  const found = versionOf(database);
  // In this order: who makes the tables at this moment has said by then whose they are.
  const tables = database.prepare<{ readonly many: number }>('SELECT count(*) AS many FROM sqlite_schema').get();
  const owner = database.prepare<{ readonly application_id: number }>('PRAGMA application_id').get()?.application_id;
  if (owner !== APPLICATION && (tables?.many ?? 0) > 0) {
    throw new StoreError('NOETL_STORE_CORRUPT', `'${file}' is a database of another program. Use another folder.`, {
      file,
    });
  }
  if (found <= MIGRATIONS.length) return;
  throw new StoreError(
    'NOETL_STORE_NEWER',
    `'${file}' has schema version ${found}, this program knows up to version ${MIGRATIONS.length}. Update noetl, or use another folder.`,
    { file, found, supported: MIGRATIONS.length },
  );
}

const versionOf = (database: Database): number =>
  database.prepare<{ readonly user_version: number }>('PRAGMA user_version').get()?.user_version ?? 0;
