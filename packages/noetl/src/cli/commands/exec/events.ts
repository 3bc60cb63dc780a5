import { dataOption } from '../../data-option.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';
import { eventList, eventListJson } from '../../views/event-list.ts';
import { type ExecOptions, known, looking } from './looking.ts';

export interface EventsOptions extends ExecOptions {
  readonly after: number;
  readonly limit: number;
}

export const execEvents = (
  id: string,
  options: EventsOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    await known(id, look);
    const { after, limit, json } = options;
    const events = await look.folder.store.log.read(id, after, limit);
    const last = events.length < limit ? undefined : events.at(-1)?.seq;
    const more =
      last === undefined
        ? undefined
        : `noetl exec events ${id} --after ${last} --limit ${limit}${dataOption(options.data)}`;
    terminal.print(json ? eventListJson(events) : eventList(events, { color: terminal.color, more }));
    return EXIT.ok;
  });
