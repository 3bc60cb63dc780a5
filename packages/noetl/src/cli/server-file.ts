import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from './machine.ts';

/** The server that runs on a data folder, for whoever can read the folder. */
export interface RunningServer {
  readonly pid: number;
  /** When its process was started, as its system tells: a pid may be given to another process later. */
  readonly startedAt: string;
  readonly url: string;
  /** What lets commands of this machine do everything; it is worth nothing once the server has ended. */
  readonly token: string;
  readonly version: string;
}

/** Where a server says how it is reached, in its data folder. */
export const SERVER_FILE = 'server.json';

/** Where a server that runs on its own writes what it has to say. */
export const SERVER_OUTPUT = 'server.log';

/** The server of a folder; undefined if none runs. What a dead one left behind counts for nothing. */
export async function runningServer(
  folder: string,
  { isAlive }: Pick<Machine, 'isAlive'>,
): Promise<RunningServer | undefined> {
  const text = await readFile(join(folder, SERVER_FILE), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const server: RunningServer = JSON.parse(text);
    return isAlive(server.pid, server.startedAt) ? server : undefined;
  } catch {
    return undefined;
  }
}

/** Makes the server known. Nobody but the user that it runs as can read it. */
export async function announceServer(folder: string, server: RunningServer): Promise<void> {
  await mkdir(folder, { recursive: true });
  const draft = join(folder, `.${SERVER_FILE}.${server.pid}`);
  await writeFile(draft, `${JSON.stringify(server)}\n`, { mode: 0o600 });
  await rename(draft, join(folder, SERVER_FILE));
}

export const forgetServer = (folder: string): Promise<void> => rm(join(folder, SERVER_FILE), { force: true });
