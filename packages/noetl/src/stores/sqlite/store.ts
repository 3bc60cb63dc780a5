import { dirname, join } from 'node:path';
import { makeFolder } from '../../make-folder.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { StoreError } from '../../ports/store-error.ts';
import { syncFolder } from '../../sync-folder.ts';
import { createSqliteAudit } from './audit.ts';
import { openInPlace, openInThread } from './call.ts';
import { createSqliteCatalog } from './catalog.ts';
import { createSqliteControlInputs } from './control-inputs.ts';
import type { DriverName } from './driver/open-database.ts';
import { createSqliteDrivers } from './drivers.ts';
import { createSqliteEventLog } from './event-log.ts';
import { createSqliteExecutions } from './executions.ts';
import { createSqliteInspection } from './inspection.ts';
import { createSqliteSecrets } from './secret-store.ts';
import { createSqliteSnapshots } from './snapshots.ts';
import { createSqliteTokens } from './tokens.ts';
import { createSqliteToolLogs } from './tool-logs.ts';

/** The name of the file in its data folder. */
export const STORE_FILE = 'noetl.db';

export interface SqliteOptions {
  /** False performs everything in the calling thread: for commands that only have a short look. */
  readonly thread?: boolean;
  /** Reading is enough: a file that cannot be written is opened as well, and one that is not there is not made. */
  readonly look?: boolean;
  readonly driver?: DriverName;
}

/** The store in a data folder, which several processes may have open at the same time. */
export async function openSqliteStore(folder: string, clock: Clock, options: SqliteOptions = {}): Promise<Store> {
  const { thread = true, look = false, driver } = options;
  if (!look) await makeDataFolder(folder);
  const open = thread ? openInThread : openInPlace;
  const { call, keepAlive, close } = await open({ file: join(folder, STORE_FILE), driver, look }, clock);
  return {
    log: createSqliteEventLog(call, clock),
    executions: createSqliteExecutions(call),
    catalog: createSqliteCatalog(call),
    inputs: createSqliteControlInputs(call),
    snapshots: createSqliteSnapshots(call),
    drivers: createSqliteDrivers(call, keepAlive, clock),
    inspection: createSqliteInspection(call),
    toolLogs: createSqliteToolLogs(call),
    secrets: createSqliteSecrets(call),
    tokens: createSqliteTokens(call),
    audit: createSqliteAudit(call),
    close,
  };
}

async function makeDataFolder(folder: string): Promise<void> {
  try {
    const made = await makeFolder(folder);
    if (made !== undefined) await syncFolder(dirname(made));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code === 'EIO' ? 'NOETL_STORE_IO' : 'NOETL_STORE_READONLY';
    throw new StoreError(code, unmade(folder, error), { folder }, { cause: error });
  }
}

function unmade(folder: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EEXIST') return `'${folder}' is a file, and a data folder is needed. Name another one.`;
  return `the data folder '${folder}' cannot be made: ${WHY.get(code) ?? String(error)}. Name another one.`;
}

const WHY = new Map<unknown, string>([
  ['ENOENT', 'the folder above takes no others'],
  ['ENOTDIR', 'a part of its path is a file'],
  ['EACCES', 'the permissions of the folder above do not allow it'],
  ['EPERM', 'the permissions of the folder above do not allow it'],
  ['EROFS', 'the disk can only be read'],
  ['ENOSPC', 'the disk is full'],
  ['EIO', 'the disk reports an error'],
]);
