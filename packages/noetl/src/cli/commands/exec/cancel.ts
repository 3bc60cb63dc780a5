import { EXIT, type ExitCode } from '../../exit-code.ts';
import { cancelChildren } from '../../leave-input.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';
import { asked, type ControlOptions, say } from './controlling.ts';
import { known, looking } from './looking.ts';

/** `noetl exec cancel`. Asked again, it makes sure that those which end with the execution have ended too. */
export const execCancel = (
  id: string,
  options: ControlOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    const { reason = null, by = machine.user } = options;
    const input = { kind: 'cancel', reason, by } as const;
    if ((await known(id, look)).status === 'cancelled') {
      await cancelChildren(id, look);
      say({ execution: id, asked: input, status: 'cancelled', driven: false, events: [] }, look);
    } else say(await asked(id, input, look), look);
    return EXIT.ok;
  });
