import { type Instant, timestampOf } from '@noetl/engine';
import { type Line, paint, tinted } from './line.ts';
import { visible } from './visible.ts';
import { workName } from './work-name.ts';

/** What a tool printed, as the store keeps it. */
export interface LogRow {
  readonly execution: string;
  readonly taskRun: string;
  readonly attempt: number;
  readonly stream: 'stdout' | 'stderr' | 'noetl';
  readonly at: Instant;
  readonly text: string;
}

interface LogListOptions {
  readonly color: boolean;
  /** The name of a step by the number of its run. */
  stepOf(run: number): string | undefined;
  readonly more?: string | undefined;
}

/** `2026-01-01T00:00:11.000Z measure[1].read stderr | no value` */
export function logList(rows: readonly LogRow[], { color, stepOf, more }: LogListOptions): string {
  const lines = rows.flatMap((row) => logLines(row, stepOf));
  const hint: readonly Line[] = more === undefined ? [] : [[tinted('dim', `more: ${visible(more)}`)]];
  return [...lines, ...hint].map((line) => `${paint(line, color)}\n`).join('');
}

function logLines({ taskRun, execution, attempt, stream, at, text }: LogRow, stepOf: LogListOptions['stepOf']): Line[] {
  const { run, path, label } = taskRunParts(taskRun.slice(execution.length + 1));
  const name = workName(stepOf(run) ?? `run ${run}`, path, label);
  const again = attempt === 1 ? '' : ` (attempt ${attempt})`;
  const mark = stream === 'stdout' ? stream : tinted(stream === 'stderr' ? 'yellow' : 'dim', stream);
  return text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => [tinted('dim', timestampOf(at)), ` ${name}${again} `, mark, ' | ', visible(line)]);
}

/** `2:fetch:1` or `2:0.3:fetch:1`: run, perhaps the iteration, label, visit. A label may contain anything. */
function taskRunParts(id: string): { readonly run: number; readonly path: string; readonly label: string } {
  const [, run = '', path = '', label = ''] =
    /^(\d+):(\d+(?:\.\d+)*):(.*):\d+$/s.exec(id) ?? withoutPath(/^(\d+):(.*):\d+$/s.exec(id)) ?? [];
  return { run: Number(run), path, label };
}

const withoutPath = (match: readonly string[] | null): readonly string[] | undefined =>
  match === null ? undefined : [match[0] ?? '', match[1] ?? '', '', match[2] ?? ''];

export function logListJson(rows: readonly LogRow[]): string {
  return rows
    .map(({ execution, taskRun, attempt, stream, at, text }) => ({
      execution_id: execution,
      task_run_id: taskRun,
      attempt,
      stream,
      timestamp: timestampOf(at),
      text,
    }))
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('');
}
