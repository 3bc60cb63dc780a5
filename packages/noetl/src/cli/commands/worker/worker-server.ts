import { join } from 'node:path';
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

/** A worker as the server tells of it. */
export interface ListedWorker {
  readonly name: string;
  readonly pool: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly slots: number;
  readonly host: string;
  readonly pid: number;
  readonly since: string;
  readonly seen: string;
  readonly drains: boolean;
}

/** How long an answer may take, in milliseconds. */
const PATIENCE = 10_000;

export async function askServer(
  { url, token }: WorkerServer,
  method: 'GET' | 'POST',
  path: string,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}${path}`, { method, headers, signal: AbortSignal.timeout(PATIENCE) }).catch(
    () => undefined,
  );
  if (answer === undefined) throw new CommandFailure(EXIT.unreachable, `error: the server ${url} does not answer.`);
  return { status: answer.status, body: await answer.json().catch(() => undefined) };
}

export async function listedWorkers(server: WorkerServer): Promise<readonly ListedWorker[]> {
  const { status, body } = await askServer(server, 'GET', '/api/workers');
  if (status === 200) return (body as { readonly workers: readonly ListedWorker[] }).workers;
  throw refused(server, body);
}

export function refused({ url }: WorkerServer, body: unknown): CommandFailure {
  const { code, detail } = (body ?? {}) as { readonly code?: string; readonly detail?: string };
  const why = code === undefined ? 'its answer is not one of a NoETL server' : `${code}: ${detail}`;
  return new CommandFailure(EXIT.failed, `error: the server ${url} refuses: ${why}`);
}
