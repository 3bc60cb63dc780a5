import type { JsonMap } from '@noetl/playbook';
import { appendFork, decideFork, type ForkRequest, originState } from '../../../server/forks.ts';
import type { Answer } from '../../../server/live-execution.ts';
import { CommandFailure } from '../../command-failure.ts';
import { dataFolderPath, openDataFolder } from '../../data-folder.ts';
import { dataOption } from '../../data-option.ts';
import { driveToEnd } from '../../drive-to-end.ts';
import { executionId } from '../../execution-id.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { displayName } from '../../playbook-file.ts';
import { readPayload, withSettings } from '../../run-payload.ts';
import { keepSource, readSource, type SourcedPlan, sourceOfExecution } from '../../sourced-plan.ts';
import { systemClock } from '../../system-clock.ts';
import type { Terminal } from '../../terminal.ts';
import { workName } from '../../views/work-name.ts';
import { failurePointOf } from './failure-point.ts';
import { known, type Look, looking } from './looking.ts';
import { readableState, statePorts } from './stored-state.ts';

export interface ForkOptions {
  /** The event to go on from. */
  readonly at: number | 'failure';
  readonly set: readonly string[];
  readonly payload: string | undefined;
  readonly ctx: readonly string[];
  /** The file of another playbook. */
  readonly playbook: string | undefined;
  readonly run: boolean;
  readonly data: string | undefined;
  readonly slots: number;
  readonly output: 'progress' | 'json' | 'quiet';
}

interface Fork {
  readonly source: SourcedPlan;
  readonly request: ForkRequest;
}

/** ENG-15: a new execution from an event of another, whoever drives that, driven to its end or only written. */
export async function execFork(
  id: string,
  options: ForkOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  const { data, slots, output, playbook } = options;
  const named = playbook === undefined ? undefined : await readSource(playbook, terminal, machine);
  const edits = {
    workload: await readPayload(options.payload, options.set, terminal),
    ctx: withSettings({}, '--ctx', options.ctx),
  };
  const fork = await looking({ data, json: false }, terminal, machine, (look) => plan(id, options, edits, named, look));
  const { source, request } = fork;
  const folder = await openDataFolder(dataFolderPath(data, machine), systemClock, options.run ? 'run' : 'look');
  if (!options.run) {
    try {
      await keepSource(source, folder, terminal.now());
      const ports = statePorts(folder);
      const made = await decideFork(source.plan, request, systemClock.now(), ports);
      demandDone(made.kind === 'refused' ? made : await appendFork(request.execution_id, made.events, ports));
    } finally {
      await folder.store.close();
    }
    terminal.print(writtenText(request, options));
    return EXIT.ok;
  }
  const drive = {
    id: request.execution_id,
    source,
    file: displayName(playbook ?? source.path),
    data: folder,
    dataGiven: data,
    slots,
    output,
  };
  return driveToEnd(
    { ...drive, begin: async (driver) => demandDone(await driver.fork(source, request)) },
    terminal,
    machine,
  );
}

/** What to ask for, from what the folder knows. */
async function plan(
  id: string,
  { at, output }: ForkOptions,
  { workload, ctx }: { readonly workload: JsonMap; readonly ctx: JsonMap },
  named: SourcedPlan | undefined,
  look: Look,
): Promise<Fork> {
  const { terminal, folder, machine } = look;
  const { position } = await known(id, look);
  const seq = at === 'failure' ? await beforeFailure(id, output, look) : inRange(at, id, position);
  const source = named ?? (await sourceOfExecution(id, folder, machine));
  const state = await readableState(originState(id, seq, statePorts(folder)));
  const edited = named !== undefined && named.contentHash !== state.request.content_hash;
  const edits = {
    ...(edited ? { playbook: true as const } : {}),
    ...(Object.keys(workload).length === 0 ? {} : { workload }),
    ...(Object.keys(ctx).length === 0 ? {} : { ctx }),
  };
  const over = state.phase === 'finished' || state.phase === 'processed';
  if (over && Object.keys(edits).length > 0 && output === 'progress') {
    terminal.complain(`note: the workflow was over at event ${seq}: nothing is left that the changes could reach.\n`);
  }
  const { path, version, content_hash } = state.request;
  const playbook = edited ? { path: named.path, version: named.version, content_hash: named.contentHash } : undefined;
  const execution_id = executionId(terminal.now(), terminal.seed);
  const request = { execution_id, origin: { execution_id: id, state }, edits };
  return { source, request: { ...request, ...(playbook ?? { path, version, content_hash }) } };
}

function inRange(at: number, id: string, position: number): number {
  if (at <= position) return at;
  throw new CommandFailure(EXIT.usage, `error: --at ${at}: the execution '${id}' has the events 1 to ${position}.`);
}

async function beforeFailure(id: string, output: ForkOptions['output'], look: Look): Promise<number> {
  const { seq, failed, step, path, task } = await failurePointOf(id, look);
  if (output === 'progress') {
    const what = step === undefined ? 'the execution' : workName(step, path, task);
    look.terminal.complain(`from event ${seq}, before ${what} failed at event ${failed}\n`);
  }
  return seq;
}

function demandDone(answer: Answer): void {
  if (answer.kind === 'refused') throw new CommandFailure(EXIT.usage, `error: ${answer.code}: ${answer.message}`);
}

function writtenText({ execution_id, origin }: ForkRequest, { output, data }: ForkOptions): string {
  const goOn = `noetl run --resume ${execution_id}${dataOption(data)}`;
  const from = { execution_id: origin.execution_id, seq: origin.state.seq };
  switch (output) {
    case 'json':
      return `${JSON.stringify({ execution_id, origin: from, go_on: goOn })}\n`;
    case 'quiet':
      return `${execution_id}\n`;
    case 'progress':
      return `execution ${execution_id}, forked from ${from.execution_id} at event ${from.seq}\nGo on with: ${goOn}\n`;
  }
}
