import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { NoetlClient } from '../client/client.ts';
import type { Clock } from '../ports/clock.ts';
import type { ResultStore } from '../ports/result-store.ts';
import type { Store } from '../ports/store.ts';
import { openSqliteStore, STORE_FILE } from '../stores/sqlite/store.ts';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-code.ts';
import type { Machine } from './machine.ts';
import { openResultStores } from './result-stores.ts';
import { openSourceFolders } from './source-folders.ts';
import type { Terminal } from './terminal.ts';

export { STORE_FILE } from '../stores/sqlite/store.ts';

/** The folder of large results, in the data folder. */
export const RESULTS_FOLDER = 'results';

/** Everything that is kept of executions, in one folder. */
export interface DataFolder {
  readonly folder: string;
  readonly store: Store;
  readonly results: ResultStore;
  /** The server that has it, if it is none of this machine's. */
  readonly remote?: NoetlClient | undefined;
  /** The folder that the files of a playbook are relative to, as it was when the playbook was first run from here. */
  sourceFolder(contentHash: string): Promise<string | undefined>;
  /** `legacy`: whether older playbooks that it calls by file are to be upgraded, where this process does not run it. */
  keepSourceFolder(contentHash: string, folder: string, legacy?: boolean): Promise<void>;
  close(): Promise<void>;
}

/** `--data`, else `NOETL_DATA`, else `.noetl` in the working directory. */
export function dataFolderPath(option: string | undefined, { environment, workingFolder }: Machine): string {
  if (option === '')
    throw new CommandFailure(EXIT.usage, 'error: --data is empty, and the path of a folder is needed.');
  return resolve(workingFolder, option ?? (environment.NOETL_DATA || '.noetl'));
}

/** Refuses to look for something where nothing was ever kept. */
export async function demandFolder(folder: string, terminal: Pick<Terminal, 'look'>): Promise<void> {
  const found = await terminal.look(folder);
  if (found === 'folder' && (await terminal.look(join(folder, STORE_FILE))) !== undefined) return;
  const what =
    found === undefined
      ? `there is no data folder '${folder}'`
      : found === 'folder'
        ? `there are no executions in '${folder}'`
        : `'${folder}' is a file, and a data folder is needed`;
  throw new CommandFailure(EXIT.usage, `error: ${what}. noetl run makes one; --data or NOETL_DATA names another.`);
}

/** The same folder for who only reads: what is being written is not waited for, but what was answered as written is there. */
export const openReader = async (data: DataFolder, clock: Clock): Promise<DataFolder> => {
  const store = await openSqliteStore(data.folder, clock, { thread: true, look: true });
  return { ...data, store, close: store.close };
};

async function refuseFile(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined || found.isDirectory()) return;
  const advice = '--data or NOETL_DATA names another.';
  throw new CommandFailure(EXIT.usage, `error: '${folder}' is a file, and a data folder is needed. ${advice}`);
}

/**
 * Opens the folder, making it if need be. `look` is for a short look without a thread, and makes nothing; a `long look`
 * makes nothing either; `change` is for a short change. The environment says where results are kept beside the folder.
 */
export async function openDataFolder(
  folder: string,
  clock: Clock,
  use: 'run' | 'look' | 'long look' | 'change',
  machine: Pick<Machine, 'environment' | 'workingFolder'> = { environment: {}, workingFolder: folder },
): Promise<DataFolder> {
  if (use === 'run' || use === 'change') await refuseFile(folder);
  const store = await openSqliteStore(folder, clock, {
    thread: use === 'run' || use === 'long look',
    look: use === 'look' || use === 'long look',
  });
  const sources = openSourceFolders(join(folder, 'sources'));
  const stores = openResultStores(join(folder, RESULTS_FOLDER), machine);
  return {
    folder,
    store,
    results: stores.results,
    sourceFolder: sources.of,
    keepSourceFolder: sources.keep,
    async close() {
      await stores.close();
      await store.close();
    },
  };
}
