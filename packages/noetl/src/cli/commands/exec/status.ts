import { EXIT, type ExitCode } from '../../exit-code.ts';
import { failedChildren } from '../../failed-children.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';
import { explanation } from '../../views/explanation.ts';
import { statusJson, statusText } from '../../views/status.ts';
import { readCalledTree } from './called-tree.ts';
import { type ExecOptions, looking } from './looking.ts';
import { readExecution, sourceOf } from './reading.ts';

export const execStatus = (id: string, options: ExecOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    const reading = await readExecution(id, look);
    const { places, text } = await sourceOf(id, look);
    const called = await readCalledTree(id, look);
    const { color } = terminal;
    if (options.json) {
      terminal.print(statusJson(reading, places, called));
      return EXIT.ok;
    }
    terminal.print(statusText(reading, { color, now: terminal.now(), places, called, data: options.data }));
    const children = await failedChildren(id, reading.failures, look.folder, machine);
    const why =
      reading.summary.status === 'running'
        ? ''
        : explanation(reading, { color, places, source: text, data: options.data, children });
    if (why !== '') terminal.print(`\n${why}`);
    return EXIT.ok;
  });
