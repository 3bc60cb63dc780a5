import { join } from 'node:path';
import { createClient, type NoetlClient } from '../../../client/client.ts';
import { CommandFailure } from '../../command-failure.ts';
import { dataFolderPath } from '../../data-folder.ts';
import { dataOption } from '../../data-option.ts';
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

/** What the user named: a server, or the folder that it runs on. */
export interface NamedWorkerServer {
  readonly server: string | undefined;
  readonly data: string | undefined;
}

/** `--server`, or the server that runs on `--data`; else `NOETL_SERVER`, else the server that runs on the data folder. */
export async function workerServer({ server, data }: NamedWorkerServer, machine: Machine): Promise<WorkerServer> {
  if (server !== undefined && data !== undefined) {
    const why = '--data names a folder of this machine, and --server another place';
    throw new CommandFailure(EXIT.usage, `error: ${why}. Give one of them.`);
  }
  const url = server ?? (data === undefined ? machine.environment.NOETL_SERVER || undefined : undefined);
  if (url !== undefined) return { url: checkedUrl(url), token: shownToken(machine) };
  const folder = dataFolderPath(data, machine);
  const running = await runningServer(folder, machine);
  if (running !== undefined) return { url: running.url, token: running.token, file: join(folder, SERVER_FILE) };
  if (data !== undefined) {
    const advice = `noetl server start${dataOption(data)} begins one.`;
    throw new CommandFailure(EXIT.unreachable, `error: no server runs on ${folder}. ${advice}`);
  }
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
