import type { ExecutionEvent } from '@noetl/engine';
import { CommandFailure } from '../command-failure.ts';
import { type DataFolder, dataFolderPath, demandFolder, openDataFolder } from '../data-folder.ts';
import { dataOption } from '../data-option.ts';
import { type Drive, driveToEnd, type Watch } from '../drive-to-end.ts';
import { executionId } from '../execution-id.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Machine } from '../machine.ts';
import { displayName } from '../playbook-file.ts';
import { readPayload } from '../run-payload.ts';
import { readSource, sourceOfExecution } from '../sourced-plan.ts';
import { systemClock } from '../system-clock.ts';
import type { Terminal } from '../terminal.ts';

export interface RunOptions {
  /** The playbook; undefined where an execution is resumed. */
  readonly file: string | undefined;
  readonly resume: string | undefined;
  readonly payload: string | undefined;
  readonly set: readonly string[];
  readonly data: string | undefined;
  readonly slots: number;
  readonly output: 'progress' | 'json' | 'quiet';
}

/** Runs a playbook to its end in this process, durably: whatever stops it, `--resume` goes on from the last event. */
export async function run(options: RunOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> {
  const { resume, slots, output } = options;
  const named = options.file === undefined ? undefined : await readSource(options.file, terminal, machine);
  const payload = await readPayload(options.payload, options.set, terminal);
  const folder = dataFolderPath(options.data, machine);
  if (resume !== undefined) await demandFolder(folder, terminal);
  const data = await openDataFolder(folder, systemClock, 'run');
  const id = resume ?? executionId(terminal.now(), terminal.seed);
  const source = named ?? (await sourceOfExecution(id, data, machine));
  const begin: Drive['begin'] = async (driver, watch) => {
    if (output === 'progress') await nameUnfinished(id, data, options.data, terminal);
    if (resume === undefined) {
      const answer = await driver.start(source, { execution_id: id, payload });
      if (answer.kind === 'refused') throw new CommandFailure(EXIT.usage, `error: ${answer.code}: ${answer.message}`);
      return;
    }
    const last = await recall(id, data, watch);
    if (output === 'progress') {
      terminal.complain(`going on with execution ${id} of ${source.path} from event ${last?.seq ?? 0}\n`);
    }
    if (output !== 'json' && (await data.store.executions.get(id))?.status === 'paused') {
      terminal.complain(`it is paused; nothing new begins until: noetl exec resume ${id}${dataOption(options.data)}\n`);
    }
    if (output === 'json' && last?.name === 'playbook.processed') watch.events([last]);
    await driver.resume(id, source);
  };
  const file = displayName(options.file ?? source.path);
  return driveToEnd({ id, source, file, data, dataGiven: options.data, slots, output, begin }, terminal, machine);
}

/** Executions of the folder that nobody goes on with, for who may have forgotten them. */
async function nameUnfinished(
  id: string,
  { store }: DataFolder,
  data: string | undefined,
  terminal: Terminal,
): Promise<void> {
  const unfinished = (await store.executions.unfinished(0, NAMED + 1)).filter(({ execution }) => execution !== id);
  const left: string[] = [];
  for (const { execution, parent } of unfinished) {
    if (parent === undefined && (await store.drivers.driverOf(execution)) === undefined) left.push(execution);
  }
  if (left.length === 0) return;
  const more = left.length > NAMED ? ' and more' : '';
  terminal.complain(
    `not finished: ${left.slice(0, NAMED).join(', ')}${more}. Go on with: noetl run --resume ID${dataOption(data)}\n`,
  );
}

/** More would hide what is run now. */
const NAMED = 3;

/** What happened before is not told again, but counted. */
async function recall(id: string, { store }: DataFolder, watch: Watch): Promise<ExecutionEvent | undefined> {
  for (let last: ExecutionEvent | undefined; ; ) {
    const events: readonly ExecutionEvent[] = await store.log.read(id, last?.seq ?? 0, 1_000);
    watch.recall(events);
    if (events.length === 0) return last;
    last = events.at(-1);
  }
}
