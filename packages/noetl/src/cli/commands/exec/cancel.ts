import type { ControlInput } from '@noetl/engine';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import { cancelChildren } from '../../leave-input.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';
import type { ControlAnswer } from '../../views/control-answer.ts';
import { asked, askedThere, type ControlOptions, say, serverFor } from './controlling.ts';
import { known, type Look, looking } from './looking.ts';

/** `noetl exec cancel`. */
export const execCancel = (
  id: string,
  options: ControlOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    const { reason = null, by = machine.user } = options;
    say(await cancelled(id, { kind: 'cancel', reason, by }, look), look);
    return EXIT.ok;
  });

/** Asked again, it makes sure that those which end with the execution have ended too. */
export async function cancelled(id: string, input: ControlInput, look: Look): Promise<ControlAnswer> {
  if ((await known(id, look)).status !== 'cancelled') return asked(id, input, look);
  const server = await serverFor(look);
  if (server !== undefined) return askedThere(id, input, server);
  await cancelChildren(id, look);
  return { execution: id, asked: input, status: 'cancelled', driven: false, events: [] };
}
