import type { Payload } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import { didYouMean } from '@noetl/template';
import { storedState } from '../../../server/stored-state.ts';
import { CommandFailure } from '../../command-failure.ts';
import { dataOption } from '../../data-option.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { printResult } from '../../result-output.ts';
import { sourceOfExecution } from '../../sourced-plan.ts';
import type { Terminal } from '../../terminal.ts';
import { errorLine } from '../../views/error-line.ts';
import { visible } from '../../views/visible.ts';
import { type ExecOptions, known, type Look, looking } from './looking.ts';
import { readableState, statePorts } from './stored-state.ts';

export interface ResultOptions extends ExecOptions {
  /** The step whose result is wanted; that of the execution otherwise. */
  readonly step: string | undefined;
  /** The file that it is written to. */
  readonly out: string | undefined;
}

export const execResult = (
  id: string,
  options: ResultOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    const { position } = await known(id, look);
    if (options.step !== undefined) {
      await printResult(await resultOfStep(id, options.step, look), options, look.folder, terminal);
      return EXIT.ok;
    }
    const [last] = await look.folder.store.log.read(id, position - 1, 1);
    if (last?.name !== 'playbook.processed') {
      throw new CommandFailure(
        EXIT.failed,
        `error: the execution '${id}' is not over yet. noetl exec status ${id} tells how far it is.`,
      );
    }
    const { status, error, result } = last.payload;
    if (status === 'success') {
      await printResult(result, options, look.folder, terminal);
      return EXIT.ok;
    }
    if (options.json) {
      await printResult({ status, error: error as Json, result }, options, look.folder, terminal);
    } else {
      if (result !== null) await printResult(result, options, look.folder, terminal);
      terminal.complain(noResult(id, last.payload, options.data));
    }
    return status === 'cancelled' ? EXIT.cancelled : EXIT.failed;
  });

/** The result of the newest run of a step that completed. */
export async function resultOfStep(
  id: string,
  step: string,
  { folder, machine }: Pick<Look, 'folder' | 'machine'>,
): Promise<Json> {
  const { results } = await readableState(storedState(id, statePorts(folder)));
  const result = Object.hasOwn(results, step) ? results[step] : undefined;
  if (result !== undefined) return result;
  const source = await sourceOfExecution(id, folder, machine).catch(() => undefined);
  const steps = source === undefined ? undefined : [...source.plan.steps.keys()];
  if (steps === undefined || steps.includes(step)) {
    const why = `the step '${step}' of the execution '${id}' has not come to a result.`;
    throw new CommandFailure(EXIT.failed, `error: ${why} noetl exec status ${id} tells how far it is.`);
  }
  const near = didYouMean(step, steps) ?? `It has: ${steps.join(', ')}.`;
  throw new CommandFailure(EXIT.usage, `error: the playbook of '${id}' has no step '${step}'. ${near}`);
}

function noResult(id: string, { status, error }: Payload<'playbook.processed'>, data: string | undefined): string {
  const what = status === 'cancelled' ? 'was cancelled' : 'failed';
  const why = error === null ? '' : `: ${errorLine(error)}`;
  return `the execution '${visible(id)}' ${what}${why}\nnoetl exec status ${visible(id)}${visible(dataOption(data))} tells where.\n`;
}
