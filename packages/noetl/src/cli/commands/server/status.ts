import { reasonOf } from '../../../client/transport.ts';
import { CommandFailure } from '../../command-failure.ts';
import { dataFolderPath } from '../../data-folder.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';
import { things } from '../../views/quantity.ts';
import { demandedServer, type FolderServerCommand } from './demanded-server.ts';

/** How long the answer may take, in milliseconds. */
const PATIENCE = 5_000;

/** Says whether the server of a folder answers, and what it does. */
export async function serverStatus(
  { data, json, port }: FolderServerCommand,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  const folder = dataFolderPath(data, machine);
  const { url, pid, version } = await demandedServer(folder, port, machine);
  const answer = await fetch(`${url}/api/ready`, { signal: AbortSignal.timeout(PATIENCE) }).catch((error) => {
    const why = reasonOf(error);
    throw new CommandFailure(EXIT.unreachable, `error: the server ${url}, process ${pid}, does not answer: ${why}`);
  });
  const { executions, detail } = (await answer.json()) as { executions?: number; detail?: string };
  if (json)
    terminal.print(
      `${JSON.stringify({ url, pid, version, folder, ready: answer.ok, executions: executions ?? null })}\n`,
    );
  else {
    const doing = answer.ok ? `${things(executions ?? 0, 'execution')} under way` : detail;
    terminal.print(`${url}, process ${pid}, version ${version}, executions in ${folder}\n${doing}\n`);
  }
  return EXIT.ok;
}
