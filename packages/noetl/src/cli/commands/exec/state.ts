import { stateView } from '@noetl/engine';
import { storedState } from '../../../server/stored-state.ts';
import { CommandFailure } from '../../command-failure.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';
import { stateJson, stateText } from '../../views/state.ts';
import { type ExecOptions, known, type Look, looking } from './looking.ts';
import { readableState, statePorts } from './stored-state.ts';

export interface StateOptions extends ExecOptions {
  /** The event; undefined for the newest. */
  readonly at: number | undefined;
}

/** Prints what an execution is in the middle of, as of any event: the fold of its log, a page at a time. */
export const execState = (id: string, options: StateOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    const reading = await readState(id, options.at, look);
    terminal.print(options.json ? stateJson(reading) : stateText(reading, terminal.color));
    return EXIT.ok;
  });

/** The state as of an event, or of the newest. */
export async function readState(id: string, wanted: number | undefined, look: Pick<Look, 'folder'>) {
  const { position, path, version } = await known(id, look);
  const at = wanted ?? position;
  if (at > position) {
    throw new CommandFailure(EXIT.usage, `error: --at ${at}: the execution '${id}' has the events 1 to ${position}.`);
  }
  const [event] = await look.folder.store.log.read(id, at - 1, 1);
  if (event === undefined) throw new CommandFailure(EXIT.failed, `error: event ${at} of '${id}' is not there.`);
  const state = stateView(await readableState(storedState(id, statePorts(look.folder), at)));
  return { execution: id, path, version, event, position, state };
}
