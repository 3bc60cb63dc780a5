import { dataOption } from '../../data-option.ts';
import { compareExecutions } from '../../diff/compare-executions.ts';
import { historyOf, placeIn } from '../../diff/history.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';
import { type DiffView, diffText } from '../../views/diff.ts';
import { diffJson } from '../../views/diff-json.ts';
import { type ExecOptions, known, type Look, looking } from './looking.ts';

export interface DiffOptions extends ExecOptions {
  /** How many differences are shown. */
  readonly limit: number;
}

/** Compares two executions. Like `diff`, it answers 0 if they are equal and 1 if they are not. */
export const execDiff = (
  [a, b]: readonly [string, string],
  options: DiffOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> =>
  looking(options, terminal, machine, async (look) => {
    const { limit, json, data } = options;
    const view = await readDiff([a, b], limit, look);
    const more = `noetl exec diff ${a} ${b} --limit ${limit * 10}${dataOption(data)}`;
    const { color, columns } = terminal;
    terminal.print(json ? diffJson(view) : diffText(view, { color, columns, more }));
    return view.count === 0 ? EXIT.ok : EXIT.failed;
  });

/** Two executions beside each other. */
export async function readDiff(
  [a, b]: readonly [string, string],
  limit: number,
  look: Pick<Look, 'folder'>,
): Promise<DiffView> {
  const { folder } = look;
  const [one, other] = [await known(a, look), await known(b, look)];
  const histories = {
    a: await historyOf(a, one.position, folder),
    b: await historyOf(b, other.position, folder),
  };
  const comparison = await compareExecutions(histories.a, histories.b, folder, limit);
  return {
    ...comparison,
    lost: [histories.a.lost, histories.b.lost].filter((id) => id !== undefined),
    placeOf: (side, at) => placeIn(histories[side], at),
  };
}
