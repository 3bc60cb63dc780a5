import type { ExecutionState } from '@noetl/engine';
import type { JsonMap } from '@noetl/playbook';
import { decideFork, type ForkRequest, originState } from '../../../server/forks.ts';
import type { Answer } from '../../../server/live-execution.ts';
import { CommandFailure } from '../../command-failure.ts';
import { executionId } from '../../execution-id.ts';
import { EXIT } from '../../exit-code.ts';
import { namesFile, runnablePlaybook } from '../../runnable-playbook.ts';
import { readSource, type SourcedPlan, sourceOfExecution } from '../../sourced-plan.ts';
import { workName } from '../../views/work-name.ts';
import { failurePointOf } from './failure-point.ts';
import { known, type Look } from './looking.ts';
import { readableState, statePorts } from './stored-state.ts';

/** What the user wants to be different, and from where on. */
export interface WantedFork {
  readonly at: number | 'failure';
  /** A file, `-`, or a playbook of the catalog. */
  readonly playbook: string | undefined;
  readonly workload: JsonMap;
  readonly ctx: JsonMap;
}

export interface ForkPlan {
  readonly source: SourcedPlan;
  readonly request: ForkRequest;
}

/** What to ask for, from what the folder knows. What would be refused is refused here, before anything is written. */
export async function planFork(
  id: string,
  wanted: WantedFork,
  look: Look,
  tell: (text: string) => void,
): Promise<ForkPlan> {
  const { terminal, folder, machine } = look;
  const { position } = await known(id, look);
  const seq = wanted.at === 'failure' ? await beforeFailure(id, look, tell) : inRange(wanted.at, id, position);
  const named = await namedPlaybook(wanted.playbook, id, look);
  const source = named ?? (await sourceOfExecution(id, folder, machine));
  const state = await readableState(originState(id, seq, statePorts(folder)));
  const edits = editsOf(wanted, state, named);
  const over = state.phase === 'finished' || state.phase === 'processed';
  if (over && Object.keys(edits).length > 0) {
    tell(`note: the workflow was over at event ${seq}: nothing is left that the changes could reach.`);
  }
  const { path, version, contentHash } = source;
  const execution_id = executionId(terminal.now(), terminal.seed);
  const origin = { execution_id: id, state };
  const request = { execution_id, origin, path, version, content_hash: contentHash, folder: source.folder, edits };
  const decision = await decideFork(source.plan, request, terminal.now(), statePorts(folder));
  if (decision.kind === 'refused') demandDone(decision);
  return { source, request };
}

/** MIG-2: an execution of an older playbook goes on with one as well. */
async function namedPlaybook(name: string | undefined, id: string, look: Look): Promise<SourcedPlan | undefined> {
  if (name === undefined) return undefined;
  const { folder, terminal, machine } = look;
  if (await namesFile(name, terminal)) {
    const forked = await sourceOfExecution(id, folder, machine).catch(() => undefined);
    return readSource(name, terminal, machine, { legacy: forked?.original !== undefined });
  }
  return runnablePlaybook(name, folder, terminal, machine);
}

function editsOf(
  { workload, ctx }: WantedFork,
  { request }: ExecutionState,
  named: SourcedPlan | undefined,
): ForkRequest['edits'] {
  return {
    ...(named === undefined || named.contentHash === request.content_hash ? {} : { playbook: true as const }),
    ...(Object.keys(workload).length === 0 ? {} : { workload }),
    ...(Object.keys(ctx).length === 0 ? {} : { ctx }),
  };
}

function inRange(at: number, id: string, position: number): number {
  if (at <= position) return at;
  throw new CommandFailure(EXIT.usage, `error: --at ${at}: the execution '${id}' has the events 1 to ${position}.`);
}

async function beforeFailure(id: string, look: Look, tell: (text: string) => void): Promise<number> {
  const { seq, failed, step, path, task } = await failurePointOf(id, look);
  const what = step === undefined ? 'the execution' : workName(step, path, task);
  tell(`from event ${seq}, before ${what} failed at event ${failed}`);
  return seq;
}

export function demandDone(answer: Answer): void {
  if (answer.kind === 'refused') throw new CommandFailure(EXIT.usage, `error: ${answer.code}: ${answer.message}`);
}
