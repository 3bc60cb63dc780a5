import type { ExecutionFilter } from '../../../ports/executions.ts';
import { dataOption } from '../../data-option.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import { shellWord } from '../../shell-word.ts';
import type { Terminal } from '../../terminal.ts';
import { executionList, executionListJson } from '../../views/execution-list.ts';
import { type ExecOptions, looking } from './looking.ts';

export interface ListOptions extends ExecOptions {
  readonly filter: ExecutionFilter;
  readonly before: number | undefined;
  readonly limit: number;
}

export const execList = (options: ListOptions, terminal: Terminal, machine: Machine): Promise<ExitCode> =>
  looking(options, terminal, machine, async ({ folder }) => {
    const { filter, before, limit, json } = options;
    const found = await folder.store.executions.list(filter, before, limit + 1);
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1)?.number : undefined;
    const more =
      last === undefined
        ? undefined
        : `noetl exec list --before ${last} --limit ${limit}${filterOptions(filter)}${dataOption(options.data)}`;
    const view = { color: terminal.color, now: terminal.now(), more };
    terminal.print(json ? executionListJson(rows) : executionList(rows, view));
    return EXIT.ok;
  });

const filterOptions = ({ status, path, parent }: ExecutionFilter): string =>
  [
    ...(status === undefined ? [] : [` --status ${status}`]),
    ...(path === undefined ? [] : [` --path ${shellWord(path)}`]),
    ...(parent === undefined ? [] : [parent === null ? ' --top' : ` --parent ${shellWord(parent)}`]),
  ].join('');
