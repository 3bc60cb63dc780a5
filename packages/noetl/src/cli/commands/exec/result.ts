import type { Payload } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import { CommandFailure } from '../../command-failure.ts';
import { dataOption } from '../../data-option.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import { loadedResult } from '../../loaded-result.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';
import { errorLine } from '../../views/error-line.ts';
import { resultJson, resultText } from '../../views/result.ts';
import { visible } from '../../views/visible.ts';
import { type ExecOptions, known, looking } from './looking.ts';

export const execResult = (id: string, options: ExecOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    const { position } = await known(id, look);
    const [last] = await look.folder.store.log.read(id, position - 1, 1);
    if (last?.name !== 'playbook.processed') {
      throw new CommandFailure(
        EXIT.failed,
        `error: the execution '${id}' is not over yet. noetl exec status ${id} tells how far it is.`,
      );
    }
    const { status, error } = last.payload;
    const result: Json = await loadedResult(last.payload.result, look.folder);
    if (status === 'success') {
      terminal.print(options.json ? resultJson(result) : resultText(result));
      return EXIT.ok;
    }
    if (options.json) terminal.print(resultJson({ status, error: error as Json, result }));
    else {
      if (result !== null) terminal.print(resultText(result));
      terminal.complain(noResult(id, last.payload, options.data));
    }
    return status === 'cancelled' ? EXIT.cancelled : EXIT.failed;
  });

function noResult(id: string, { status, error }: Payload<'playbook.processed'>, data: string | undefined): string {
  const what = status === 'cancelled' ? 'was cancelled' : 'failed';
  const why = error === null ? '' : `: ${errorLine(error)}`;
  return `the execution '${visible(id)}' ${what}${why}\nnoetl exec status ${visible(id)}${visible(dataOption(data))} tells where.\n`;
}
