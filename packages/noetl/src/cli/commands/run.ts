import type { ExecutionEnd } from '../../server/executions.ts';
import { openTools } from '../../tools/registry.ts';
import { CommandFailure } from '../command-failure.ts';
import { type DataFolder, dataFolderPath, openDataFolder } from '../data-folder.ts';
import { executionId } from '../execution-id.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type LocalDriver, openLocalDriver } from '../local-driver.ts';
import type { Machine } from '../machine.ts';
import { displayName } from '../playbook-file.ts';
import { createProgress, type Progress } from '../progress/progress.ts';
import { readPayload } from '../run-payload.ts';
import { findCalled, keepSource, readSource, sourceOfExecution } from '../sourced-plan.ts';
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
  const named = options.file === undefined ? undefined : await readSource(options.file, terminal, machine);
  const payload = await readPayload(options.payload, options.set, terminal);
  const data = await openDataFolder(dataFolderPath(options.data, machine), systemClock, 'run');
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
  const driver = await openDriver(options, data, terminal, machine, progress);
  const stop = stopRequest(machine);
  try {
    if (!(await driver.take(id))) {
      throw new CommandFailure(EXIT.failed, `error: another process is running the execution '${id}' already.`);
    }
    await keepSource(source, data, terminal.now());
    if (options.resume === undefined) await driver.start(source, { execution_id: id, payload });
    else {
      await recall(id, data, progress);
      await driver.resume(id, source);
    }
    const end = await Promise.race([driver.over(id), stop.requested]);
    progress.close();
    return end === undefined ? interrupted(id, terminal) : finish(end, options, terminal);
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
  progress: Progress,
): Promise<LocalDriver> {
  return openLocalDriver({
    data,
    machine,
    clock: systemClock,
    tools: openTools(machine),
    driverId: executionId(terminal.now(), terminal.seed),
    slots,
    secretsOf: () => ({ keychain: {}, redact: (value) => value }),
    findPlan: (path, version, caller) => findCalled(path, version, caller, data, terminal, machine),
    committed: progress.events,
  });
}

/** What happened before is not told again, but counted. */
async function recall(id: string, { store }: DataFolder, progress: Progress): Promise<void> {
  for (let after = 0; ; ) {
    const events = await store.log.read(id, after, 1_000);
    progress.recall(events);
    const last = events.at(-1);
    if (last === undefined) return;
    after = last.seq;
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

function interrupted(id: string, terminal: Terminal): ExitCode {
  terminal.complain(`\nstopped; nothing is lost. Go on with: noetl run --resume ${id}\n`);
  return EXIT.interrupted;
}

function finish({ status, result }: ExecutionEnd, { output }: RunOptions, terminal: Terminal): ExitCode {
  if (output !== 'json' && status === 'success' && result !== null) {
    terminal.print(`${typeof result === 'string' ? result : JSON.stringify(result, undefined, 2)}\n`);
  }
  return status === 'success' ? EXIT.ok : status === 'cancelled' ? EXIT.cancelled : EXIT.failed;
}
