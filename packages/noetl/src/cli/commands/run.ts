import { join } from 'node:path';
import { type ExecutionEvent, readTraceparent } from '@noetl/engine';
import { awaitedAnswers } from '../awaited-answers.ts';
import { CommandFailure } from '../command-failure.ts';
import { type DataFolder, dataFolderPath, demandFolder, openDataFolder, STORE_FILE } from '../data-folder.ts';
import { dataOption } from '../data-option.ts';
import { type Drive, driveToEnd, type Watch } from '../drive-to-end.ts';
import { executionId } from '../execution-id.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Machine } from '../machine.ts';
import { runningPlace } from '../place.ts';
import { displayName } from '../playbook-file.ts';
import { rootOf, unfinishedBelow } from '../root-execution.ts';
import { readPayload } from '../run-payload.ts';
import { namesFile, nothingNamed, runnablePlaybook } from '../runnable-playbook.ts';
import { keepSource, nameOfSource, readSource, type SourcedPlan, sourceOfExecution } from '../sourced-plan.ts';
import { systemClock } from '../system-clock.ts';
import type { Terminal } from '../terminal.ts';

export interface RunOptions {
  /** A file, `-`, or a playbook of the catalog; undefined where an execution is resumed. */
  readonly playbook: string | undefined;
  readonly resume: string | undefined;
  readonly payload: string | undefined;
  readonly set: readonly string[];
  readonly data: string | undefined;
  readonly slots: number;
  /** The version of this program. */
  readonly version: string;
  /** Whether an older playbook is upgraded, and those that it calls by file. */
  readonly legacy: boolean;
  readonly output: 'progress' | 'json' | 'quiet';
}

/**
 * Runs a playbook to its end, durably: whatever stops it, `--resume` goes on from the last event. It runs in this process;
 * where a server is named, or runs on the folder, there.
 */
export async function run(options: RunOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> {
  const { resume, slots, version, output, legacy } = options;
  const named = await namedFile(options, terminal, machine);
  const payload = await readPayload(options.payload, options.set, terminal);
  const data = (await runningPlace(options.data, machine)) ?? (await openFolder(options, named, terminal, machine));
  const id = resume ?? executionId(terminal.now(), terminal.seed);
  const source = await sourceOf(options, named, data, terminal, machine).catch(async (error) => {
    await data.close();
    throw error;
  });
  const begin: Drive['begin'] = async (driver, watch) => {
    if (output === 'progress') await nameUnfinished(id, data, options.data, terminal);
    if (resume === undefined) {
      const answer = await driver.start(source, { execution_id: id, payload, ...surroundingTrace(machine) });
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
    const below = await unfinishedBelow(id, data.store.executions);
    if (output === 'progress') {
      const answers = await awaitedAnswers(id, below, data, options.data);
      terminal.complain(answers.map((line) => `${line}\n`).join(''));
    }
    await driver.resume(id, source);
    for (const child of below) {
      await driver.resume(child, await sourceOfExecution(child, data, machine));
    }
  };
  const file = named === undefined ? nameOfSource(source) : displayName(options.playbook ?? '');
  const exists = resume !== undefined;
  return driveToEnd(
    { id, source, file, data, dataGiven: options.data, slots, version, legacy, output, exists, begin },
    terminal,
    machine,
  );
}

/** `TRACEPARENT`: what runs this program is part of a trace, which goes on. */
const surroundingTrace = ({ environment: { TRACEPARENT: traceparent } }: Machine) =>
  traceparent === undefined || readTraceparent(traceparent) === undefined ? {} : { traceparent };

async function openFolder(
  { resume, data, playbook = '' }: RunOptions,
  named: SourcedPlan | undefined,
  terminal: Terminal,
  machine: Machine,
): Promise<DataFolder> {
  const folder = dataFolderPath(data, machine);
  if (resume !== undefined) await demandFolder(folder, terminal);
  else if (named === undefined && (await terminal.look(join(folder, STORE_FILE))) === undefined) {
    const otherwise = `and no catalog in '${folder}' that could have such a playbook.`;
    throw await nothingNamed(playbook, otherwise, terminal);
  }
  return openDataFolder(folder, systemClock, 'run', machine);
}

const namedFile = async (
  { playbook, legacy, output }: RunOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<SourcedPlan | undefined> =>
  playbook !== undefined && (await namesFile(playbook, terminal))
    ? readSource(playbook, terminal, machine, { legacy, quiet: output === 'quiet' })
    : undefined;

/** What runs: the file, which is registered thereby; a playbook of the catalog; or what the old execution began with. */
async function sourceOf(
  { playbook, resume }: RunOptions,
  named: SourcedPlan | undefined,
  data: DataFolder,
  terminal: Terminal,
  machine: Machine,
): Promise<SourcedPlan> {
  if (named !== undefined) return { ...named, version: (await keepSource(named, data, terminal.now())).version };
  if (playbook !== undefined) return runnablePlaybook(playbook, data, terminal, machine);
  const id = resume ?? '';
  const root = await rootOf(id, data.store.executions);
  if (root === id) return sourceOfExecution(id, data, machine);
  throw new CommandFailure(
    EXIT.usage,
    `error: the execution '${id}' was called by another one and goes on with it: noetl run --resume ${root}`,
  );
}

/** Executions of the folder that nobody goes on with, for who may have forgotten them. */
async function nameUnfinished(
  id: string,
  { store }: DataFolder,
  data: string | undefined,
  terminal: Terminal,
): Promise<void> {
  const left = new Set<string>();
  for (const { execution } of await store.executions.unfinished(0, CONSIDERED)) {
    const root = await rootOf(execution, store.executions);
    if (root !== id && (await store.drivers.driverOf(root)) === undefined) left.add(root);
    if (left.size > NAMED) break;
  }
  if (left.size === 0) return;
  const more = left.size > NAMED ? ' and more' : '';
  terminal.complain(
    `not finished: ${[...left].slice(0, NAMED).join(', ')}${more}. Go on with: noetl run --resume ID${dataOption(data)}\n`,
  );
}

/** More would hide what is run now. */
const NAMED = 3;
/** An execution may have many children that are not over either. */
const CONSIDERED = 100;

/** What happened before is not told again, but counted. */
async function recall(id: string, { store }: DataFolder, watch: Watch): Promise<ExecutionEvent | undefined> {
  for (let last: ExecutionEvent | undefined; ; ) {
    const events: readonly ExecutionEvent[] = await store.log.read(id, last?.seq ?? 0, 1_000);
    watch.recall(events);
    if (events.length === 0) return last;
    last = events.at(-1);
  }
}
