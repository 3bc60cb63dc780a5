import { CommandFailure } from '../../command-failure.ts';
import { EXIT } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { type RunningServer, runningServer } from '../../server-file.ts';
import type { ExecOptions } from '../exec/looking.ts';

/** Options of the commands about the server that runs on a data folder. */
export interface FolderServerCommand extends ExecOptions {
  /** Where it has to listen; undefined for anywhere. */
  readonly port: number | undefined;
}

/** The server of a folder; who names a port means the one there, and no other. */
export async function demandedServer(
  folder: string,
  port: number | undefined,
  machine: Machine,
): Promise<RunningServer> {
  const server = await runningServer(folder, machine);
  if (server === undefined) {
    throw new CommandFailure(EXIT.unreachable, `error: no server runs on ${folder}. noetl server start begins one.`);
  }
  if (port === undefined || port === portOf(server.url)) return server;
  const advice = '--data names the folder of another one.';
  throw new CommandFailure(
    EXIT.unreachable,
    `error: the server of ${folder} listens on ${server.url}, not on port ${port}. ${advice}`,
  );
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
