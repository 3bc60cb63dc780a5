import { dataOption } from '../../data-option.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';
import { logList, logListJson } from '../../views/log-list.ts';
import { type ExecOptions, known, looking } from './looking.ts';
import { readExecution } from './reading.ts';

export interface LogsOptions extends ExecOptions {
  readonly after: number;
  readonly limit: number;
}

export const execLogs = (id: string, options: LogsOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    await known(id, look);
    const { after, limit, json } = options;
    const found = await look.folder.store.toolLogs.read({ execution: id }, after, limit + 1);
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1)?.id : undefined;
    const more =
      last === undefined
        ? undefined
        : `noetl exec logs ${id} --after ${last} --limit ${limit}${dataOption(options.data)}`;
    const { detail } = await readExecution(id, look);
    const steps = new Map(detail.runs.map(({ run, step }) => [run, step]));
    const stepOf = (run: number) => steps.get(run);
    terminal.print(json ? logListJson(rows) : logList(rows, { color: terminal.color, stepOf, more }));
    return EXIT.ok;
  });
