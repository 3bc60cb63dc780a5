import { DriverLost } from '../ports/driver-lost.ts';
import { StoreError } from '../ports/store-error.ts';
import { openTools } from '../tools/registry.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { openCalledPlaybooks } from './called-playbooks.ts';
import { CommandFailure } from './command-failure.ts';
import type { DataFolder } from './data-folder.ts';
import { dataOption } from './data-option.ts';
import { demandStores } from './demand-stores.ts';
import { finish } from './ending.ts';
import { executionId } from './execution-id.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { failedChildren } from './failed-children.ts';
import { folderSecrets } from './folder-secrets.ts';
import { httpAddresses } from './http-addresses.ts';
import { type LocalDriver, openLocalDriver } from './local-driver.ts';
import type { Machine, StopSignal } from './machine.ts';
import { processTracing } from './process-tracing.ts';
import { createProgress, type Progress } from './progress/progress.ts';
import { remoteDriver } from './remote-driver.ts';
import { authoredText, type SourcedPlan } from './sourced-plan.ts';
import { stopRequest } from './stop-request.ts';
import { systemClock } from './system-clock.ts';
import type { Terminal } from './terminal.ts';
import { createEndingFold } from './views/ending-fold.ts';
import { explanation } from './views/explanation.ts';
import { placesOf } from './views/places.ts';
import { createUnawaitedFold } from './views/unawaited-fold.ts';

/** An execution that this process is to drive, and what its user sees of it. */
export interface Drive {
  readonly id: string;
  readonly source: SourcedPlan;
  /** The playbook as the user knows it. */
  readonly file: string;
  readonly data: DataFolder;
  /** `--data`, as the user gave it. */
  readonly dataGiven: string | undefined;
  readonly slots: number;
  /** The version of this program. */
  readonly version: string;
  /** Whether older playbooks that it calls by file are upgraded. */
  readonly legacy: boolean;
  readonly output: 'progress' | 'json' | 'quiet';
  /** Whether the log knows the execution already: then another process may be driving it. */
  readonly exists: boolean;
  /** Starts the execution, or goes on with it. */
  begin(driver: LocalDriver, watch: Watch): Promise<void>;
}

/** Who is told what happens. */
export type Watch = Pick<Progress, 'recall' | 'events'>;

/** Drives an execution to its end, or until somebody wants it to stop, and tells what happens and what came of it. */
export async function driveToEnd(drive: Drive, terminal: Terminal, machine: Machine): Promise<ExitCode> {
  const { id, source, file, dataGiven, output } = drive;
  const progress = createProgress({
    terminal,
    execution: id,
    playbook: source.plan.playbook,
    file,
    data: dataGiven,
    mode: output === 'progress' ? (terminal.watched ? 'live' : 'plain') : output,
    color: terminal.watchedInColor,
    clock: systemClock,
  });
  const reading = createEndingFold();
  const unawaited = createUnawaitedFold();
  const recalled = new Map<string, number>();
  const watch: Watch = {
    recall: (events) => {
      for (const { execution_id, seq } of events) recalled.set(execution_id, seq);
      progress.recall(events);
      reading.take(events);
      unawaited.take(events);
    },
    events: (events) => {
      progress.events(events);
      reading.take(events.filter(({ execution_id }) => execution_id === id));
      unawaited.take(events);
    },
  };
  const tracing =
    drive.data.remote === undefined
      ? await processTracing(drive.data, drive.version, machine, terminal.complain)
      : undefined;
  const recalledTo = (execution: string): number | undefined => recalled.get(execution);
  const driver = await openDriver(drive, terminal, machine, watch, recalledTo, tracing);
  const stop = stopRequest(machine);
  try {
    demandStores(source.plan.playbook, drive.data.results);
    if (drive.exists && !(await driver.take(id))) {
      throw new CommandFailure(EXIT.failed, `error: another process is running the execution '${id}' already.`);
    }
    const over = driver.over(id);
    await drive.begin(driver, watch).catch((error) => unsureOfBeginning(error, id, dataGiven));
    const end = await Promise.race([over.catch((error) => outOfStore(error, id, dataGiven)), stop.requested]);
    progress.close();
    if (typeof end === 'string') {
      const paused = reading.read().summary.status === 'paused';
      terminal.complain(leavingText(drive, paused));
      return EXIT[end];
    }
    const read = reading.read();
    if (output !== 'json') {
      const children = await failedChildren(id, read.failures, drive.data, machine);
      const places = placesOf(source.plan.playbook, file);
      const why = { color: terminal.watchedInColor, places, source: authoredText(source), data: dataGiven, children };
      terminal.complain(explanation(read, why));
    }
    const code = await finish(end, drive, terminal);
    const stopped = await waitForUnawaited(drive, driver, stop.requested, terminal);
    if (output !== 'json') terminal.complain(unawaited.complaint(terminal.watchedInColor, dataGiven));
    return stopped === undefined ? code : EXIT[stopped];
  } catch (error) {
    progress.close();
    throw error instanceof DriverLost ? lost(error, id, dataGiven) : error;
  } finally {
    stop.forget();
    await driver.close();
    await tracing?.close();
  }
}

/** Children that nobody waits for are executions of this run, too: it is over when they are. */
async function waitForUnawaited(
  drive: Drive,
  driver: LocalDriver,
  stop: Promise<StopSignal>,
  terminal: Terminal,
): Promise<StopSignal | undefined> {
  const { id, output, dataGiven, data } = drive;
  const count = driver.underWay();
  if (count === 0) return undefined;
  const otherwise = data.remote === undefined ? 'leaves that to --resume' : 'ends only the watching';
  if (output === 'progress') terminal.complain(`${goingOn(count)} to the end. Ctrl-C ${otherwise}.\n`);
  const settled = driver.settled().catch((error) => outOfStore(error, id, dataGiven));
  const stopped = await Promise.race([settled, stop]);
  if (typeof stopped !== 'string') return undefined;
  terminal.complain(leavingText(drive, false));
  return stopped;
}

const goingOn = (count: number): string =>
  count === 1 ? 'an execution that it called goes on' : `${count} executions that it called go on`;

function openDriver(
  { slots, data, legacy }: Drive,
  terminal: Terminal,
  machine: Machine,
  watch: Watch,
  recalled: (execution: string) => number | undefined,
  tracing: Tracing | undefined,
): Promise<LocalDriver> {
  const { remote: client } = data;
  if (client !== undefined) return Promise.resolve(remoteDriver({ client, recalled, committed: watch.events }));
  return openLocalDriver({
    data,
    machine,
    clock: systemClock,
    tools: openTools({ ...machine, addresses: httpAddresses(machine) }),
    driverId: executionId(terminal.now(), terminal.seed),
    slots,
    secrets: folderSecrets(data, machine, systemClock, terminal.complain),
    called: openCalledPlaybooks(data, terminal, machine, { legacy }),
    traced: tracing?.traced,
    committed: (events, state) => {
      watch.events(events);
      tracing?.committed(events, state);
    },
  });
}

function outOfStore(error: unknown, id: string, data: string | undefined): never {
  if (!(error instanceof StoreError)) throw error;
  const message = `error: ${error.code}: ${error.message}\nWhat was kept is not lost. Go on with: noetl run --resume ${id}${dataOption(data)}`;
  throw new CommandFailure(EXIT.failed, message, { cause: error });
}

/** The store failed in the beginning: the request may be kept all the same. */
function unsureOfBeginning(error: unknown, id: string, data: string | undefined): never {
  if (!(error instanceof StoreError)) throw error;
  const [status, resume] = ['exec status', 'run --resume'].map((name) => `noetl ${name} ${id}${dataOption(data)}`);
  const message = `error: ${error.code}: ${error.message}\nIt may have begun all the same. If this knows it: ${status}\nthen go on with: ${resume}\nOtherwise run it again.`;
  throw new CommandFailure(EXIT.failed, message, { cause: error });
}

function lost(error: DriverLost, id: string, data: string | undefined): CommandFailure {
  const message = `error: ${error.code}: ${error.message}\nNothing is lost. If no other process runs the execution, go on with: noetl run --resume ${id}${dataOption(data)}`;
  return new CommandFailure(EXIT.failed, message, { cause: error });
}

const leavingText = ({ id, data, dataGiven }: Drive, paused: boolean): string =>
  (data.remote === undefined ? stoppedText : leftText)(id, paused, dataOption(dataGiven));

/** What a server drives goes on without anybody who looks. */
function leftText(id: string, paused: boolean, option: string): string {
  const state = paused ? `it stays paused until: noetl exec resume ${id}${option}\n` : 'the server goes on with it. ';
  return `\nstopped watching; ${state}Look again with: noetl exec watch ${id}${option}\n`;
}

function stoppedText(id: string, paused: boolean, option: string): string {
  const state = paused ? `it stays paused until: noetl exec resume ${id}${option}\n` : 'nothing is lost. ';
  return `\nstopped; ${state}Go on with: noetl run --resume ${id}${option}\n`;
}
