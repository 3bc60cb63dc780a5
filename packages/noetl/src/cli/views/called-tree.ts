import { type Instant, timestampOf } from '@noetl/engine';
import type { ExecutionStatus } from '../../ports/execution-facts.ts';
import { type Line, tinted } from './line.ts';
import { duration, grouped, things } from './quantity.ts';
import { statusWord } from './status-word.ts';
import { visible } from './visible.ts';

/** What an execution called, by the step runs that did. */
export type CalledTree = readonly CalledByRun[];

export interface CalledByRun {
  readonly run: number;
  readonly count: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** All of them, oldest first; of many only those that failed. */
  readonly listed: readonly CalledExecution[];
}

export interface CalledExecution {
  readonly execution: string;
  readonly path: string;
  readonly version: string | number | null;
  readonly status: ExecutionStatus;
  readonly requestedAt: Instant;
  readonly endedAt: Instant | undefined;
  /** The indexes of the iteration that called it, outermost first; empty outside loops. */
  readonly iteration: string;
  readonly calls: CalledTree;
}

/** The rows below a step run, in the columns of its table: nothing, what, status, time, id. */
export function calledRows(
  { count, statuses, listed }: CalledByRun,
  now: Instant,
  depth = 1,
): readonly (readonly Line[])[] {
  const indent = `${'  '.repeat(depth - 1)}└ `;
  const hidden = count - listed.length;
  const summary: readonly Line[] = [
    [],
    [tinted('dim', indent), things(count, 'child', 'children')],
    [],
    [],
    [tinted('dim', statusesText(statuses))],
  ];
  return [
    ...(hidden > 0 ? [summary] : []),
    ...listed.flatMap((called) => {
      const { execution, path, status, requestedAt, endedAt, iteration, calls } = called;
      const index = iteration === '' ? '' : ` [${iteration}]`;
      const row: readonly Line[] = [
        [],
        [tinted('dim', indent), visible(path), tinted('dim', index)],
        [statusWord(status)],
        [duration((endedAt ?? now) - requestedAt)],
        [tinted('dim', visible(execution))],
      ];
      return [row, ...calls.flatMap((below) => calledRows(below, now, depth + 1))];
    }),
  ];
}

const statusesText = (statuses: CalledByRun['statuses']): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${grouped(count)} ${status}`)
    .sort()
    .join(', ');

/** The same for JSON. */
export const calledJson = (tree: CalledTree): readonly object[] =>
  tree.map(({ run, count, statuses, listed }) => ({
    run,
    count,
    statuses,
    executions: listed.map(({ execution, path, version, status, requestedAt, endedAt, iteration, calls }) => ({
      execution_id: execution,
      path,
      version,
      status,
      iteration: iteration === '' ? null : iteration,
      started_at: timestampOf(requestedAt),
      ended_at: endedAt === undefined ? null : timestampOf(endedAt),
      children: calledJson(calls),
    })),
  }));
