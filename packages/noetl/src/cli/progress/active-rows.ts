import { elastic, type Line, type Part, tinted, widthOfLine } from '../views/line.ts';
import { grouped, seconds } from '../views/quantity.ts';
import { folded } from '../views/text-width.ts';
import { visible } from '../views/visible.ts';
import { workName } from '../views/work-name.ts';
import type { ActiveRun, Board } from './board.ts';
import type { Wait } from './note.ts';
import { progressText } from './note-line.ts';
import { waitText } from './wait-text.ts';

/** More are only counted, so that drawing costs the same however many runs there are, and fits a small window. */
const MOST_ROWS = 10;
/** Of a loop so many iterations that stand still are shown. */
const MOST_WAITS = 3;
/** Why something waits may take so many rows. */
const DETAIL_ROWS = 2;

/** The part of the screen that changes: what is under way, oldest first, and a line that counts. */
export function activeRows(board: Board, now: number, columns: number): readonly Line[] {
  const rows: Line[] = [];
  let shown = 0;
  for (const run of board.active.values()) {
    const own = rowsOf(run, now, columns);
    if (rows.length + own.length > MOST_ROWS) break;
    rows.push(...own);
    shown += 1;
  }
  const hidden = board.active.size - shown;
  if (hidden > 0) rows.push([tinted('dim', `  and ${grouped(hidden)} more`)]);
  return [...rows, totals(board, now)];
}

function rowsOf(run: ActiveRun, now: number, columns: number): readonly Line[] {
  const { name, loop, waits, task, attempt, started, since } = run;
  const took = tinted('dim', ` · ${seconds(now - since)}`);
  if (loop !== undefined) {
    const waiting = waits.size === 0 ? '' : tinted('yellow', ` · ${grouped(waits.size)} waiting`);
    const counts: Line = [tinted('cyan', '▸ '), elastic('bold', name), ` ${progressText(loop, now)}`, took, waiting];
    return [counts, ...firstOf(waits).flatMap((wait) => waitRows(wait, iterationName(wait), '', now, columns, '  '))];
  }
  const [wait] = waits.values();
  const label = wait?.label ?? task;
  const about = label === undefined ? '' : `.${visible(label)}`;
  if (wait !== undefined) return waitRows(wait, `${name}${about}`, took, now, columns, '');
  if (!started) return [[tinted('dim', '· '), elastic('dim', name), tinted('dim', ' scheduled'), took]];
  const again = attempt > 1 ? tinted('yellow', ` · attempt ${attempt}`) : '';
  return [[tinted('cyan', '▸ '), elastic('bold', name), about, again, took]];
}

function firstOf(waits: ReadonlyMap<string, Wait>): readonly Wait[] {
  const first: Wait[] = [];
  for (const wait of waits.values()) {
    if (first.length === MOST_WAITS) break;
    first.push(wait);
  }
  return first;
}

const iterationName = ({ path, label }: Wait): string => workName('', path, label);

/** In one row if there is room. Else the reason gets rows of its own: it is what somebody who waits wants to know. */
function waitRows(wait: Wait, name: string, took: Part, now: number, columns: number, margin: string): readonly Line[] {
  const { what, detail } = waitText(wait, now);
  const mark = tinted('yellow', `${margin}${wait.for === 'retry' ? '↻ ' : '⧗ '}`);
  const head: Line = [mark, elastic('bold', name), ' ', tinted('yellow', what)];
  if (detail === undefined) return [[...head, took]];
  const whole: Line = [...head, tinted('yellow', `: ${detail}`), took];
  if (widthOfLine(whole) <= columns) return [whole];
  const indent = `${margin}    `;
  const rows = folded(detail, columns - indent.length, DETAIL_ROWS);
  return [[...head, took], ...rows.map((row): Line => [indent, tinted('yellow', row)])];
}

function totals({ active, counts }: Board, now: number): Line {
  const parts = [
    counts.paused && 'paused',
    `${grouped(counts.done)} done`,
    counts.failed > 0 && `${grouped(counts.failed)} failed`,
    counts.skipped > 0 && `${grouped(counts.skipped)} skipped`,
    `${grouped(active.size)} under way`,
    counts.startedAt !== undefined && seconds(now - counts.startedAt),
  ];
  return [tinted('dim', `  ${parts.filter((part) => typeof part === 'string').join(' · ')}`)];
}
