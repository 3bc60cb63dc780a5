import type { ExecutionEvent } from '@noetl/engine';
import { StoreError } from '../../ports/store-error.ts';
import type { ExecutionEnd } from '../../server/executions.ts';
import { openTools } from '../../tools/registry.ts';
import { CommandFailure } from '../command-failure.ts';
import { type DataFolder, dataFolderPath, demandFolder, openDataFolder } from '../data-folder.ts';
import { dataOption } from '../data-option.ts';
import { executionId } from '../execution-id.ts';
import { createExecutionSecrets } from '../execution-secrets.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { loadedResult } from '../loaded-result.ts';
import { type LocalDriver, openLocalDriver } from '../local-driver.ts';
import type { Machine } from '../machine.ts';
import { displayName } from '../playbook-file.ts';
import { createProgress, type Progress } from '../progress/progress.ts';
import { readPayload } from '../run-payload.ts';
import { findCalled, keepSource, readSource, sourceOfExecution } from '../sourced-plan.ts';
import { systemClock } from '../system-clock.ts';
import type { Terminal } from '../terminal.ts';
import { createEndingFold } from '../views/ending-fold.ts';
import { explanation } from '../views/explanation.ts';
import { placesOf } from '../views/places.ts';
import { resultText } from '../views/result.ts';

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

/** Who is told what happens. */
type Watch = Pick<Progress, 'recall' | 'events'>;

/** Runs a playbook to its end in this process, durably: whatever stops it, `--resume` goes on from the last event. */
export async function run(options: RunOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> {
  const named = options.file === undefined ? undefined : await readSource(options.file, terminal, machine);
  const payload = await readPayload(options.payload, options.set, terminal);
  const folder = dataFolderPath(options.data, machine);
  if (options.resume !== undefined) await demandFolder(folder, terminal);
  const data = await openDataFolder(folder, systemClock, 'run');
  const id = options.resume ?? executionId(terminal.now(), terminal.seed);
  const source = named ?? (await sourceOfExecution(id, data, machine));
  const progress = createProgress({
    terminal,
    execution: id,
    playbook: source.plan.playbook,
    file: displayName(options.file ?? source.path),
    mode: options.output === 'progress' ? (terminal.watched ? 'live' : 'plain') : options.output,
    color: terminal.watchedInColor,
    clock: systemClock,
  });
  const reading = createEndingFold();
  const watch: Watch = {
    recall: (events) => {
      progress.recall(events);
      reading.take(events);
    },
    events: (events) => {
      progress.events(events);
      reading.take(events.filter(({ execution_id }) => execution_id === id));
    },
  };
  const driver = await openDriver(options, data, terminal, machine, watch);
  const stop = stopRequest(machine);
  try {
    if (!(await driver.take(id))) {
      throw new CommandFailure(EXIT.failed, `error: another process is running the execution '${id}' already.`);
    }
    if (options.output === 'progress') await nameUnfinished(id, data, options.data, terminal);
    await keepSource(source, data, terminal.now());
    if (options.resume === undefined) {
      const answer = await driver.start(source, { execution_id: id, payload });
      if (answer.kind === 'refused') throw new CommandFailure(EXIT.usage, `error: ${answer.code}: ${answer.message}`);
    } else {
      const last = await recall(id, data, watch);
      if (options.output === 'progress') {
        terminal.complain(`going on with execution ${id} of ${source.path} from event ${last?.seq ?? 0}\n`);
      }
      if (options.output === 'json' && last?.name === 'playbook.processed') progress.events([last]);
      await driver.resume(id, source);
    }
    const end = await Promise.race([
      driver.over(id).catch((error) => outOfStore(error, id, options.data)),
      stop.requested,
    ]);
    progress.close();
    if (end === undefined) return interrupted(id, options.data, terminal);
    const file = displayName(options.file ?? source.path);
    const places = placesOf(source.plan.playbook, file);
    const why = { color: terminal.watchedInColor, places, source: source.text, data: options.data };
    if (options.output !== 'json') terminal.complain(explanation(reading.read(), why));
    return await finish(end, options, data, terminal);
  } finally {
    stop.forget();
    await driver.close();
  }
}

function openDriver(
  { slots }: RunOptions,
  data: DataFolder,
  terminal: Terminal,
  machine: Machine,
  watch: Watch,
): Promise<LocalDriver> {
  return openLocalDriver({
    data,
    machine,
    clock: systemClock,
    tools: openTools(machine),
    driverId: executionId(terminal.now(), terminal.seed),
    slots,
    secrets: createExecutionSecrets(machine, terminal.complain),
    findPlan: (path, version, caller) => findCalled(path, version, caller, data, terminal, machine),
    committed: watch.events,
  });
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

/** Resolves once somebody wants the program to stop. */
function stopRequest(machine: Machine): { readonly requested: Promise<undefined>; forget(): void } {
  let forget: () => void = () => undefined;
  const requested = new Promise<undefined>((resolve) => {
    forget = machine.onStop(() => resolve(undefined));
  });
  return { requested, forget };
}

function outOfStore(error: unknown, id: string, data: string | undefined): never {
  if (!(error instanceof StoreError)) throw error;
  const message = `error: ${error.code}: ${error.message}\nWhat was kept is not lost. Go on with: noetl run --resume ${id}${dataOption(data)}`;
  throw new CommandFailure(EXIT.failed, message, { cause: error });
}

function interrupted(id: string, data: string | undefined, terminal: Terminal): ExitCode {
  terminal.complain(`\nstopped; nothing is lost. Go on with: noetl run --resume ${id}${dataOption(data)}\n`);
  return EXIT.interrupted;
}

async function finish(
  { status, result }: ExecutionEnd,
  { output }: RunOptions,
  data: DataFolder,
  terminal: Terminal,
): Promise<ExitCode> {
  if (output !== 'json' && status === 'success' && result !== null) {
    terminal.print(resultText(await loadedResult(result, data)));
  }
  return status === 'success' ? EXIT.ok : status === 'cancelled' ? EXIT.cancelled : EXIT.failed;
}
