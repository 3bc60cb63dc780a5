import type { Json } from '@noetl/playbook';
import { CommandFailure } from '../../command-failure.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import { loadedResult } from '../../loaded-result.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';
import { resultJson, resultText } from '../../views/result.ts';
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
    const result: Json = await loadedResult(last.payload.result, look.folder);
    terminal.print(options.json ? resultJson(result) : resultText(result));
    return last.payload.status === 'success' ? EXIT.ok : EXIT.failed;
  });
