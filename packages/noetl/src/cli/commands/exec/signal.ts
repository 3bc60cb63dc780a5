import { isTooDeep, tooDeepMessage } from '@noetl/engine';
import { didYouMean } from '@noetl/template';
import type { LeftInput } from '../../../ports/control-inputs.ts';
import { CommandFailure } from '../../command-failure.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import { expectedSignals } from '../../expected-signals.ts';
import type { Machine } from '../../machine.ts';
import { readSignalPayload } from '../../run-payload.ts';
import { sourceOfExecution } from '../../sourced-plan.ts';
import type { Terminal } from '../../terminal.ts';
import type { ControlAnswer } from '../../views/control-answer.ts';
import { asked, say } from './controlling.ts';
import { type ExecOptions, known, type Look, looking } from './looking.ts';

export interface SignalOptions extends ExecOptions {
  readonly payload: string | undefined;
  /** Who signals; undefined for the user that this program runs as. */
  readonly by: string | undefined;
}

/** `noetl exec signal`: also answers an approval. */
export const execSignal = (
  id: string,
  name: string,
  options: SignalOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    const payload = await readSignalPayload(options.payload, terminal);
    say(await signalled(id, { kind: 'signal', name, payload, by: options.by ?? machine.user }, look), look);
    return EXIT.ok;
  });

/** Sends a signal that the playbook may wait for. */
export async function signalled(
  id: string,
  input: Extract<LeftInput, { kind: 'signal' }>,
  look: Look,
): Promise<ControlAnswer> {
  if (isTooDeep(input.payload)) throw refused(`NOETL_DATA_TOO_DEEP: ${tooDeepMessage('the payload')}`);
  const { endedAt } = await known(id, look);
  if (endedAt === undefined) await demandExpected(id, input.name, look);
  return asked(id, input, look);
}

/** Nobody would ever take a signal that the playbook does not know. */
async function demandExpected(id: string, name: string, { folder, machine }: Look): Promise<void> {
  const { plan, path } = await sourceOfExecution(id, folder, machine);
  const { names, others } = expectedSignals(plan.playbook);
  if (others || names.has(name)) return;
  const awaited = [...names].map((known) => `'${known}'`).join(', ');
  const hint = didYouMean(name, names);
  throw refused(
    `the playbook ${path} of the execution '${id}' waits for no signal '${name}'. ` +
      (hint ?? (awaited === '' ? 'It waits for none at all.' : `It waits for ${awaited}.`)),
  );
}

const refused = (message: string): CommandFailure => new CommandFailure(EXIT.usage, `error: ${message}`);
