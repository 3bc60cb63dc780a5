import type { TokenEntry } from '../../api/tokens.ts';
import { type Line, paint, tinted } from './line.ts';
import { type Column, table } from './table.ts';
import { visible } from './visible.ts';

const COLUMNS: readonly Column[] = [
  { title: 'TOKEN' },
  { title: 'ROLE' },
  { title: 'PATHS' },
  { title: 'MADE' },
  { title: '' },
];

export function tokenList(tokens: readonly TokenEntry[], color: boolean): string {
  if (tokens.length === 0) return 'There are no tokens.\n';
  const rows = tokens.map((token): readonly Line[] => [
    [visible(token.name)],
    [visible(token.role)],
    [token.prefix === '' ? tinted('dim', 'all') : visible(token.prefix)],
    [short(token.created_at)],
    [stateOf(token)],
  ]);
  return table(COLUMNS, rows)
    .map((line) => `${paint(line, color)}\n`)
    .join('');
}

const short = (timestamp: string): string => timestamp.replace(/\.\d+Z$/, 'Z');

function stateOf({ valid, expires_at, revoked_at }: TokenEntry): Line[number] {
  if (revoked_at !== null) return tinted('red', `revoked ${short(revoked_at)}`);
  if (expires_at === null) return tinted('green', 'valid');
  return valid ? tinted('green', `valid until ${short(expires_at)}`) : tinted('red', `expired ${short(expires_at)}`);
}
