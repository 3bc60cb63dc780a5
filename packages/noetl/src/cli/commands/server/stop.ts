import { CommandFailure } from '../../command-failure.ts';
import { dataFolderPath } from '../../data-folder.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { pause } from '../../pause.ts';
import type { Terminal } from '../../terminal.ts';
import { demandedServer, type FolderServerCommand } from './demanded-server.ts';

export interface ServerStopOptions extends FolderServerCommand {
  /** Seconds until it is given up. */
  readonly wait: number;
}

const LOOK = 50;

/** Asks the server of a folder to stop, and waits until it has. */
export async function serverStop(
  { data, json, port, wait }: ServerStopOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  const folder = dataFolderPath(data, machine);
  const server = await demandedServer(folder, port, machine);
  machine.kill(server.pid, 'SIGTERM');
  for (const begun = terminal.elapsed(); machine.isAlive(server.pid, server.startedAt); await pause(LOOK)) {
    if (terminal.elapsed() - begun < wait * 1000) continue;
    throw new CommandFailure(
      EXIT.failed,
      `error: the server, process ${server.pid}, has not stopped within ${wait} s: what runs in it comes to its end first. It will, or kill it: nothing is lost.`,
    );
  }
  terminal.print(json ? `${JSON.stringify({ stopped: server.pid })}\n` : `stopped ${server.url}\n`);
  return EXIT.ok;
}
