import type { ExecutionEvent } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import type { ExecutionFilter } from '../../ports/executions.ts';
import { CommandFailure } from '../command-failure.ts';
import { type DataFolder, dataFolderPath, demandFolder, openDataFolder } from '../data-folder.ts';
import { dataOption } from '../data-option.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { loadedResult } from '../loaded-result.ts';
import type { Machine } from '../machine.ts';
import { sourceOfExecution } from '../sourced-plan.ts';
import { systemClock } from '../system-clock.ts';
import type { Terminal } from '../terminal.ts';
import { eventList, eventListJson } from '../views/event-list.ts';
import { createExecutionFold, type ExecutionReading } from '../views/execution-fold.ts';
import { executionList, executionListJson } from '../views/execution-list.ts';
import { explanation } from '../views/explanation.ts';
import { logList, logListJson } from '../views/log-list.ts';
import { type Places, placesOf } from '../views/places.ts';
import { resultJson, resultText } from '../views/result.ts';
import { statusJson, statusText } from '../views/status.ts';

/** `noetl exec …`: looks at executions of a data folder, also while another process drives them. */
export interface ExecOptions {
  readonly data: string | undefined;
  readonly json: boolean;
}

interface Look extends ExecOptions {
  readonly terminal: Terminal;
  readonly machine: Machine;
  readonly folder: DataFolder;
}

/** Opens the folder for a look, which leaves nothing behind. A folder that is not there is not made. */
async function looking<T>(
  options: ExecOptions,
  terminal: Terminal,
  machine: Machine,
  body: (look: Look) => Promise<T>,
): Promise<T> {
  const path = dataFolderPath(options.data, machine);
  await demandFolder(path, terminal);
  const folder = await openDataFolder(path, systemClock, 'look');
  try {
    return await body({ ...options, terminal, machine, folder });
  } finally {
    await folder.store.close();
  }
}

export interface ListOptions extends ExecOptions {
  readonly filter: ExecutionFilter;
  readonly before: number | undefined;
  readonly limit: number;
}

export const execList = (options: ListOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> =>
  looking(options, terminal, machine, async ({ folder }) => {
    const { filter, before, limit, json } = options;
    const rows = await folder.store.executions.list(filter, before, limit);
    const last = rows.length < limit ? undefined : rows.at(-1)?.number;
    const more =
      last === undefined
        ? undefined
        : `noetl exec list --before ${last} --limit ${limit}${filterOptions(filter)}${dataOption(options.data)}`;
    const view = { color: terminal.color, now: terminal.now(), more };
    terminal.print(json ? executionListJson(rows) : executionList(rows, view));
    return EXIT.ok;
  });

export const execStatus = (id: string, options: ExecOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    const reading = await readExecution(id, look);
    const { places, text } = await sourceOf(id, look);
    const { color } = terminal;
    if (options.json) {
      terminal.print(statusJson(reading, places));
      return EXIT.ok;
    }
    terminal.print(statusText(reading, { color, now: terminal.now(), places }));
    const why =
      reading.summary.status === 'running'
        ? ''
        : explanation(reading, { color, places, source: text, data: options.data });
    if (why !== '') terminal.print(`\n${why}`);
    return EXIT.ok;
  });

const filterOptions = ({ status, path }: ExecutionFilter): string =>
  `${status === undefined ? '' : ` --status ${status}`}${path === undefined ? '' : ` --path ${path}`}`;

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

export const execResult = (id: string, options: ExecOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    const { position } = await known(id, look);
    const [last] = await look.folder.store.log.read(id, position - 1, 1);
    if (last?.name !== 'playbook.processed') {
      throw new CommandFailure(
        EXIT.failed,
        `error: the execution '${id}' is not over yet. noetl exec status ${id} tells how far it is.`,
      );
    }
    const result: Json = await loadedResult(last.payload.result, look.folder);
    terminal.print(options.json ? resultJson(result) : resultText(result));
    return last.payload.status === 'success' ? EXIT.ok : EXIT.failed;
  });

export interface LogsOptions extends ExecOptions {
  readonly after: number;
  readonly limit: number;
}

export const execLogs = (id: string, options: LogsOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    await known(id, look);
    const { after, limit, json } = options;
    const rows = await look.folder.store.toolLogs.read({ execution: id }, after, limit);
    const last = rows.length < limit ? undefined : rows.at(-1)?.id;
    const more =
      last === undefined
        ? undefined
        : `noetl exec logs ${id} --after ${last} --limit ${limit}${dataOption(options.data)}`;
    const { detail } = await readExecution(id, look);
    const steps = new Map(detail.runs.map(({ run, step }) => [run, step]));
    const stepOf = (run: number) => steps.get(run);
    terminal.print(json ? logListJson(rows) : logList(rows, { color: terminal.color, stepOf, more }));
    return EXIT.ok;
  });

async function known(id: string, { folder }: Look) {
  const entry = await folder.store.executions.get(id);
  if (entry !== undefined) return entry;
  throw new CommandFailure(EXIT.usage, `error: ${folder.folder} has no execution '${id}'. noetl exec list shows them.`);
}

/** How many events are read at a time. */
const PAGE = 1_000;

async function readExecution(id: string, look: Look): Promise<ExecutionReading> {
  await known(id, look);
  const fold = createExecutionFold();
  for (let after = 0; ; ) {
    const events: readonly ExecutionEvent[] = await look.folder.store.log.read(id, after, PAGE);
    fold.take(events);
    const last = events.at(-1);
    if (last === undefined) return fold.read();
    after = last.seq;
  }
}

/** What the playbook says about places, as far as it is still there. */
async function sourceOf(
  id: string,
  { folder, machine }: Look,
): Promise<{ readonly places?: Places; readonly text?: string }> {
  const source = await sourceOfExecution(id, folder, machine).catch(() => undefined);
  return source === undefined ? {} : { places: placesOf(source.plan.playbook, source.path), text: source.text };
}
