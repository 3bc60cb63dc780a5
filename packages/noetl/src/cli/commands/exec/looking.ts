import type { ExecutionState } from '@noetl/engine';
import { CommandFailure } from '../../command-failure.ts';
import { type DataFolder, dataFolderPath, demandFolder, openDataFolder } from '../../data-folder.ts';
import { EXIT } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { namedServer } from '../../place.ts';
import { systemClock } from '../../system-clock.ts';
import type { Terminal } from '../../terminal.ts';

/** `noetl exec …`: looks at executions of a data folder or a server, also while another process drives them. */
export interface ExecOptions {
  /** The folder, or the address of a server. */
  readonly data: string | undefined;
  readonly json: boolean;
}

export interface Look extends ExecOptions {
  readonly terminal: Terminal;
  readonly machine: Machine;
  readonly folder: DataFolder;
  /** Lets this process look for inputs at once, if it drives executions itself. */
  nudge?(): Promise<void>;
  /** The state of an execution that this process drives, as the log has it. */
  stateOf?(execution: string): ExecutionState | undefined;
}

/** Opens the folder for a look, which leaves nothing behind. A folder that is not there is not made. */
export async function looking<T>(
  options: ExecOptions,
  terminal: Terminal,
  machine: Machine,
  body: (look: Look) => Promise<T>,
  use: 'look' | 'long look' = 'look',
): Promise<T> {
  const folder = namedServer(options.data, machine) ?? (await openForLook());
  try {
    return await body({ ...options, terminal, machine, folder });
  } finally {
    await folder.close();
  }

  async function openForLook(): Promise<DataFolder> {
    const path = dataFolderPath(options.data, machine);
    await demandFolder(path, terminal);
    return openDataFolder(path, systemClock, use, machine);
  }
}

/** The entry of the execution; a clear word to the user if there is none. */
export async function known(id: string, { folder }: Pick<Look, 'folder'>) {
  const entry = await folder.store.executions.get(id);
  if (entry !== undefined) return entry;
  throw new CommandFailure(EXIT.usage, `error: ${folder.folder} has no execution '${id}'. noetl exec list shows them.`);
}
