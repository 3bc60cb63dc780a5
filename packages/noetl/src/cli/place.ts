import { createClient, type NoetlClient } from '../client/client.ts';
import { CommandFailure } from './command-failure.ts';
import { type DataFolder, dataFolderPath, demandFolder } from './data-folder.ts';
import { isServer } from './data-option.ts';
import { EXIT } from './exit-code.ts';
import type { Machine } from './machine.ts';
import { remoteFolder } from './remote-folder.ts';
import { runningServer } from './server-file.ts';
import { shownToken } from './shown-token.ts';
import type { Terminal } from './terminal.ts';

/** The server that a command is to ask: `--server`, or `NOETL_SERVER` unless `--data` names a folder. */
export function namedServer(data: string | undefined, machine: Machine): DataFolder | undefined {
  const url = data ?? (machine.environment.NOETL_SERVER || undefined);
  if (url === undefined || (data !== undefined && !isServer(data))) return undefined;
  if (!URL.canParse(url) || !isServer(url)) {
    throw new CommandFailure(
      EXIT.usage,
      `error: NOETL_SERVER is '${url}', expected an address such as http://127.0.0.1:8082.`,
    );
  }
  return remoteFolder(createClient({ url, token: shownToken(machine) }), url, false);
}

/** The server that is to run executions: the one that is named, or the one that runs on the folder (DESIGN §5). */
export async function runningPlace(data: string | undefined, machine: Machine): Promise<DataFolder | undefined> {
  const named = namedServer(data, machine);
  if (named !== undefined) return named;
  const server = await runningServer(dataFolderPath(data, machine), machine);
  return server && remoteFolder(createClient(server), server.url, true);
}

/** How long a server may take to say that it is there, in milliseconds. */
const PATIENCE = 3_000;

/**
 * The server that runs on a folder, for what it does as well as anybody who has the folder. One that is stuck, or that this command may
 * not know (SEC-4), is none: the store takes what it is told, too.
 */
export async function serverOnFolder(folder: string, machine: Machine): Promise<NoetlClient | undefined> {
  const server = await runningServer(folder, machine);
  if (server === undefined) return undefined;
  const signal = AbortSignal.timeout(PATIENCE);
  const isThere = await fetch(`${server.url}/api/health`, { signal }).then(
    (answer) => answer.ok,
    () => false,
  );
  return isThere ? createClient(server) : undefined;
}

/** Refuses to change something where nothing was ever kept. */
export async function demandPlace(data: string | undefined, terminal: Terminal, machine: Machine): Promise<void> {
  if (namedServer(data, machine) === undefined) await demandFolder(dataFolderPath(data, machine), terminal);
}
