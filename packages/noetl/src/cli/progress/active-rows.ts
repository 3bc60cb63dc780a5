import { type Line, tinted } from '../views/line.ts';
import { grouped, seconds } from '../views/quantity.ts';
import { visible } from '../views/visible.ts';
import { workName } from '../views/work-name.ts';
import type { ActiveRun, Board } from './board.ts';
import { progressText } from './note-line.ts';
import { waitText } from './wait-text.ts';

/** More runs than these are only counted, so that drawing costs the same however many there are. */
const MOST_ROWS = 10;

/** The part of the screen that changes: what is under way, oldest first, and a line that counts. */
export function activeRows(board: Board, now: number): readonly Line[] {
  const rows: Line[] = [];
  for (const run of board.active.values()) {
    if (rows.length === MOST_ROWS) break;
    rows.push(rowOf(run, now));
  }
  const hidden = board.active.size - rows.length;
  if (hidden > 0) rows.push([tinted('dim', `  and ${grouped(hidden)} more`)]);
  return [...rows, totals(board, now)];
}

function rowOf(run: ActiveRun, now: number): Line {
  const { name, loop, waits, task, attempt, started, since } = run;
  const [wait] = waits.values();
  const took = tinted('dim', ` · ${seconds(now - since)}`);
  if (loop !== undefined) {
    const first =
      wait === undefined ? [] : [tinted('dim', ` ${workName('', wait.path, wait.label)}: ${waitText(wait, now)}`)];
    const waiting = waits.size === 0 ? [] : [tinted('yellow', ` · ${grouped(waits.size)} waiting`), ...first];
    return [tinted('cyan', '▸ '), tinted('bold', name), ` ${progressText(loop, now)}`, took, ...waiting];
  }
  const label = wait?.label ?? task;
  const about = label === undefined ? '' : `.${visible(label)}`;
  if (wait !== undefined) {
    const mark = wait.for === 'retry' ? '↻ ' : '⧗ ';
    return [tinted('yellow', mark), tinted('bold', name), about, ' ', tinted('yellow', waitText(wait, now)), took];
  }
  if (!started) return [tinted('dim', `· ${name} scheduled`), took];
  const again = attempt > 1 ? tinted('yellow', ` · attempt ${attempt}`) : '';
  return [tinted('cyan', '▸ '), tinted('bold', name), about, again, took];
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
