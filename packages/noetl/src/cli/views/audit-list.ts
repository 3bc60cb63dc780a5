import type { AuditRecord } from '../../api/tokens.ts';
import { type Line, paint, tinted } from './line.ts';
import { type Column, table } from './table.ts';
import { visible } from './visible.ts';

interface AuditListOptions {
  readonly color: boolean;
  /** The command that prints the next page, if there is one. */
  readonly more?: string | undefined;
}

const COLUMNS: readonly Column[] = [
  { title: 'WHEN' },
  { title: 'WHO' },
  { title: 'FROM' },
  { title: 'STATUS', align: 'right' },
  { title: 'WHAT' },
];

export function auditList(entries: readonly AuditRecord[], { color, more }: AuditListOptions): string {
  if (entries.length === 0) return 'Nothing was changed by anybody yet.\n';
  const rows = entries.map(({ at, by, from, what, status }): readonly Line[] => [
    [at.replace(/\.\d+Z$/, 'Z')],
    [visible(by)],
    [visible(from ?? '')],
    [status === null ? '' : status >= 400 ? tinted('red', String(status)) : String(status)],
    [visible(what)],
  ]);
  const hint: readonly Line[] = more === undefined ? [] : [[tinted('dim', `more: ${visible(more)}`)]];
  return [...table(COLUMNS, rows), ...hint].map((line) => `${paint(line, color)}\n`).join('');
}
