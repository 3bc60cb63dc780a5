import type { ExecutionEvent } from '@noetl/engine';
import type { NoetlClient } from '../../../client/client.ts';
import type { LeftInput } from '../../../ports/control-inputs.ts';
import type { ExecutionEntry } from '../../../ports/executions.ts';
import { CommandFailure } from '../../command-failure.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import { leaveInput } from '../../leave-input.ts';
import type { Machine } from '../../machine.ts';
import { serverOnFolder } from '../../place.ts';
import type { Terminal } from '../../terminal.ts';
import { type ControlAnswer, controlAnswer, controlAnswerJson } from '../../views/control-answer.ts';
import { type ExecOptions, known, type Look, looking } from './looking.ts';

/** Options of the commands that ask something of an execution. */
export interface ControlOptions extends ExecOptions {
  readonly reason: string | undefined;
  /** Who asks; undefined for the user that this program runs as. */
  readonly by: string | undefined;
}

/** `noetl exec pause`, `resume` and `cancel`. */
export const execControl = (
  kind: 'pause' | 'resume' | 'cancel',
  id: string,
  options: ControlOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    const { reason = null, by = machine.user } = options;
    say(await asked(id, { kind, reason, by }, look), look);
    return EXIT.ok;
  });

export function say(answer: ControlAnswer, { json, data, terminal }: Look): void {
  terminal.print(json ? controlAnswerJson(answer) : controlAnswer(answer, data));
}

/** Asks something of an execution, and tells what came of it. What is over cannot be asked anything. */
export async function asked(id: string, input: LeftInput, look: Look): Promise<ControlAnswer> {
  const before = await known(id, look);
  const server = await serverFor(look);
  if (server !== undefined && before.endedAt === undefined) return askedThere(id, input, server);
  if (before.endedAt !== undefined) throw over(before);
  const { driven, number } = await leaveInput(id, input, look);
  const after = await known(id, look);
  const events = await answering(id, before.position, (event) => records(event, input, number), look);
  const changed = events.length > 0;
  // Somebody else was faster, or the playbook was.
  if (!changed && after.endedAt !== undefined) throw over(after);
  return { execution: id, asked: input, status: after.status, driven, events };
}

/** DESIGN §5: the server that is named, or the one that runs on the folder, unless this process is that one. */
export const serverFor = async ({ folder, machine, nudge }: Look): Promise<NoetlClient | undefined> =>
  folder.remote ?? (nudge === undefined ? serverOnFolder(folder.folder, machine) : undefined);

/** The server asks in the same way, and answers the same. */
export async function askedThere(id: string, input: LeftInput, { executions }: NoetlClient): Promise<ControlAnswer> {
  const by = input.by === null ? {} : { by: input.by };
  const { status, driven, events } =
    input.kind === 'signal'
      ? await executions.signal(id, { name: input.name, payload: input.payload, ...by })
      : await executions[input.kind](id, { reason: input.reason, ...by });
  return { execution: id, asked: input, status, driven, events };
}

function over({ execution, status }: ExecutionEntry): CommandFailure {
  return new CommandFailure(
    EXIT.failed,
    `error: NOETL_EXECUTION_OVER: the execution '${execution}' is over (${status}); nothing can change it.`,
  );
}

/** How many events are read at a time. */
const PAGE = 1_000;

/** What the log says because of the input: the event that records it, and those that follow from it. */
async function answering(
  id: string,
  position: number,
  isRecord: (event: ExecutionEvent) => boolean,
  { folder }: Look,
): Promise<readonly ExecutionEvent[]> {
  for (let after = position; ; ) {
    const events = await folder.store.log.read(id, after, PAGE);
    const first = events.findIndex(isRecord);
    if (first >= 0) return events.slice(first);
    const last = events.at(-1);
    if (last === undefined) return [];
    after = last.seq;
  }
}

const NAMES = {
  pause: 'playbook.paused',
  resume: 'playbook.resumed',
  cancel: 'playbook.cancel.requested',
  signal: 'signal.received',
} as const;

/** Of several signals with one name, each is known by the number under which it was left. */
const records = (event: ExecutionEvent, input: LeftInput, number: number): boolean =>
  event.name === NAMES[input.kind] && (event.name !== 'signal.received' || event.payload.input === number);
