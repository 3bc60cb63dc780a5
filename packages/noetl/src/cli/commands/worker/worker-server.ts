import { join } from 'node:path';
import { createClient, type NoetlClient } from '../../../client/client.ts';
import { CommandFailure } from '../../command-failure.ts';
import { dataFolderPath } from '../../data-folder.ts';
import { EXIT } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { runningServer, SERVER_FILE } from '../../server-file.ts';
import { shownToken } from '../../shown-token.ts';

/** The server that workers belong to, and what is shown to it. */
export interface WorkerServer {
  readonly url: string;
  readonly token: string | undefined;
  /** Where the server says both; undefined where the user did. */
  readonly file?: string;
}

/** `--server`, else `NOETL_SERVER`, else the server that runs on the data folder. */
export async function workerServer(given: string | undefined, machine: Machine): Promise<WorkerServer> {
  const url = given ?? (machine.environment.NOETL_SERVER || undefined);
  if (url !== undefined) return { url: checkedUrl(url), token: shownToken(machine) };
  const folder = dataFolderPath(undefined, machine);
  const running = await runningServer(folder, machine);
  if (running !== undefined) return { url: running.url, token: running.token, file: join(folder, SERVER_FILE) };
  throw new CommandFailure(
    EXIT.usage,
    'error: no server is named. --server or NOETL_SERVER says where it is, such as http://127.0.0.1:8082.',
  );
}

function checkedUrl(url: string): string {
  const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: '' };
  if (protocol === 'http:' || protocol === 'https:') return url.replace(/\/+$/, '');
  throw new CommandFailure(EXIT.usage, `error: the server '${url}' is no address, such as http://127.0.0.1:8082.`);
}

/** The workers that a server knows, and what can be asked of them. */
export const workersOf = ({ url, token }: WorkerServer): NoetlClient['workers'] => createClient({ url, token }).workers;
