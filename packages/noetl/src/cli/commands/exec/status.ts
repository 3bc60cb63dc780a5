import { dataOption } from '../../data-option.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import { failedChildren } from '../../failed-children.ts';
import type { Machine } from '../../machine.ts';
import { rootOf } from '../../root-execution.ts';
import type { Terminal } from '../../terminal.ts';
import { explanation } from '../../views/explanation.ts';
import { statusJson, statusText } from '../../views/status.ts';
import { visible } from '../../views/visible.ts';
import { readCalledTree } from './called-tree.ts';
import { liveDriverOf } from './live-driver.ts';
import { type ExecOptions, type Look, looking } from './looking.ts';
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
    const driven = (await liveDriverOf(id, look.folder, machine)) !== undefined;
    if (!driven) terminal.print(await undriven(id, reading.summary.status, look));
    const children = await failedChildren(id, reading.failures, look.folder, machine);
    const why =
      reading.summary.status === 'running'
        ? ''
        : explanation(reading, { color, places, source: text, data: options.data, children, driven });
    if (why !== '') terminal.print(`\n${why}`);
    return EXIT.ok;
  });

/** What has not ended and is run by nobody stays as it is until somebody goes on with it. */
async function undriven(id: string, status: string, { folder, data }: Look): Promise<string> {
  if (status !== 'running' && status !== 'paused') return '';
  const root = await rootOf(id, folder.store.executions);
  return `\nno process runs it now; go on with: noetl run --resume ${visible(root)}${visible(dataOption(data))}\n`;
}
