import { dataOption } from '../../data-option.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';
import { eventList, eventListJson } from '../../views/event-list.ts';
import { explainEvents } from './explaining.ts';
import { type ExecOptions, known, looking } from './looking.ts';

export interface EventsOptions extends ExecOptions {
  readonly after: number;
  readonly limit: number;
  /** Whether the conditions behind the events are told. */
  readonly explain: boolean;
}

export const execEvents = (
  id: string,
  options: EventsOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    await known(id, look);
    const { after, limit, json, explain } = options;
    const found = await look.folder.store.log.read(id, after, limit + 1);
    const events = found.slice(0, limit);
    const last = found.length > limit ? events.at(-1)?.seq : undefined;
    const more =
      last === undefined
        ? undefined
        : `noetl exec events ${id} --after ${last} --limit ${limit}${explain ? ' --explain' : ''}${dataOption(options.data)}`;
    const explanations = explain ? await explainEvents(id, events, look) : undefined;
    const { color } = terminal;
    terminal.print(json ? eventListJson(events, explanations) : eventList(events, { color, more, explanations }));
    return EXIT.ok;
  });
