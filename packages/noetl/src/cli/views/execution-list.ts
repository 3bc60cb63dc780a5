import { type Instant, timestampOf } from '@noetl/engine';
import { type Line, paint, tinted } from './line.ts';
import { duration, grouped } from './quantity.ts';
import { statusWord } from './status-word.ts';
import { type Column, table } from './table.ts';
import { visible } from './visible.ts';

/** One execution of a list: what the index of a store says. */
export interface ExecutionRow {
  readonly execution: string;
  readonly path: string;
  readonly version: string | number | null;
  /** The execution that called it. */
  readonly parent: string | undefined;
  readonly origin: { readonly execution: string; readonly position: number } | undefined;
  readonly status: 'running' | 'paused' | 'success' | 'error' | 'cancelled';
  readonly requestedAt: Instant;
  readonly endedAt: Instant | undefined;
  /** Events. */
  readonly position: number;
}

interface ListOptions {
  readonly color: boolean;
  readonly now: Instant;
  /** The command that prints the next page, if there is one. */
  readonly more?: string | undefined;
}

const COLUMNS: readonly Column[] = [
  { title: 'EXECUTION' },
  { title: 'PLAYBOOK' },
  { title: 'STATUS' },
  { title: 'STARTED' },
  { title: 'TIME', align: 'right' },
  { title: 'EVENTS', align: 'right' },
  { title: '' },
];

export function executionList(rows: readonly ExecutionRow[], { color, now, more }: ListOptions): string {
  if (rows.length === 0) return 'There are no executions.\n';
  const lines = table(
    COLUMNS,
    rows.map(({ execution, path, status, parent, requestedAt, endedAt, position, origin }): readonly Line[] => [
      [visible(execution)],
      [...(parent === undefined ? [] : [tinted('dim', '└ ')]), visible(path)],
      [statusWord(status)],
      [timestampOf(requestedAt).replace(/\.\d+Z$/, 'Z')],
      [duration((endedAt ?? now) - requestedAt)],
      [grouped(position)],
      origin === undefined
        ? []
        : [tinted('dim', `forked from ${visible(origin.execution)} at event ${origin.position}`)],
    ]),
  );
  const hint: readonly Line[] = more === undefined ? [] : [[tinted('dim', `more: ${visible(more)}`)]];
  return [...lines, ...hint].map((line) => `${paint(line, color)}\n`).join('');
}

/** The same as one line of JSON: a list. */
export function executionListJson(rows: readonly ExecutionRow[]): string {
  const entries = rows.map(({ execution, path, version, parent, status, requestedAt, endedAt, position, origin }) => ({
    execution_id: execution,
    path,
    version,
    parent_execution_id: parent ?? null,
    status,
    started_at: timestampOf(requestedAt),
    ended_at: endedAt === undefined ? null : timestampOf(endedAt),
    duration_ms: endedAt === undefined ? null : endedAt - requestedAt,
    events: position,
    ...(origin === undefined ? {} : { origin: { execution_id: origin.execution, seq: origin.position } }),
  }));
  return `${JSON.stringify(entries)}\n`;
}
