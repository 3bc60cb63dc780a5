import { timestampOf } from '@noetl/engine';
import type { SealedCredential } from '../../ports/secret-store.ts';
import { type Line, paint, tinted } from './line.ts';
import { type Column, table } from './table.ts';
import { visible } from './visible.ts';

const COLUMNS: readonly Column[] = [{ title: 'CREDENTIAL' }, { title: 'KIND' }, { title: 'SET' }, { title: 'FIELDS' }];

export function credentialList(entries: readonly SealedCredential[], color: boolean): string {
  if (entries.length === 0) return 'There are no credentials.\n';
  const rows = entries.map(({ name, kind, setAt, fields }): readonly Line[] => [
    [visible(name)],
    [visible(kind)],
    [timestampOf(setAt).replace(/\.\d+Z$/, 'Z')],
    [tinted('dim', visible(fields.join(', ')))],
  ]);
  return table(COLUMNS, rows)
    .map((line) => `${paint(line, color)}\n`)
    .join('');
}

export const credentialListJson = (entries: readonly SealedCredential[]): string =>
  `${JSON.stringify(entries.map(({ name, kind, fields, setAt }) => ({ name, kind, fields, set_at: timestampOf(setAt) })))}\n`;
