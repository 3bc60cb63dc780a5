import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { StoreError } from '../../ports/store-error.ts';
import { syncFolder } from '../../sync-folder.ts';
import { openInPlace, openInThread } from './call.ts';
import { createSqliteCatalog } from './catalog.ts';
import { createSqliteControlInputs } from './control-inputs.ts';
import type { DriverName } from './driver/open-database.ts';
import { createSqliteDrivers } from './drivers.ts';
import { createSqliteEventLog } from './event-log.ts';
import { createSqliteExecutions } from './executions.ts';
import { createSqliteSnapshots } from './snapshots.ts';
import { createSqliteToolLogs } from './tool-logs.ts';

/** The name of the file in its data folder. */
export const STORE_FILE = 'noetl.db';

export interface SqliteOptions {
  /** False performs everything in the calling thread: for commands that only have a short look. */
  readonly thread?: boolean;
  readonly driver?: DriverName;
}

/** The store in a data folder, which several processes may have open at the same time. */
export async function openSqliteStore(folder: string, clock: Clock, options: SqliteOptions = {}): Promise<Store> {
  await makeFolder(folder);
  const open = options.thread === false ? openInPlace : openInThread;
  const { call, close } = await open({ file: join(folder, STORE_FILE), driver: options.driver });
  return {
    log: createSqliteEventLog(call, clock),
    executions: createSqliteExecutions(call),
    catalog: createSqliteCatalog(call),
    inputs: createSqliteControlInputs(call),
    drivers: createSqliteDrivers(call, clock),
    snapshots: createSqliteSnapshots(call),
    toolLogs: createSqliteToolLogs(call),
    close,
  };
}

async function makeFolder(folder: string): Promise<void> {
  try {
    const made = await mkdir(folder, { recursive: true });
    if (made !== undefined) await syncFolder(dirname(made));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StoreError(
      'NOETL_STORE_READONLY',
      `the data folder '${folder}' cannot be made: ${why}`,
      { folder },
      {
        cause: error,
      },
    );
  }
}
