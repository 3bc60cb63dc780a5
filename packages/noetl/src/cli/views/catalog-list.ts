import { timestampOf } from '@noetl/engine';
import type { CatalogEntry } from '../../ports/catalog.ts';
import { type Line, paint, tinted } from './line.ts';
import { grouped } from './quantity.ts';
import { type Column, table } from './table.ts';
import { visible } from './visible.ts';

interface CatalogListOptions {
  readonly color: boolean;
  /** The command that prints the next page, if there is one. */
  readonly more?: string | undefined;
}

const COLUMNS: readonly Column[] = [
  { title: 'PLAYBOOK' },
  { title: 'VERSION', align: 'right' },
  { title: 'REGISTERED' },
  { title: 'CONTENT' },
];

export function catalogList(entries: readonly CatalogEntry[], { color, more }: CatalogListOptions): string {
  if (entries.length === 0) return 'There are no playbooks.\n';
  const rows = entries.map(({ path, version, registeredAt, contentHash }): readonly Line[] => [
    [visible(path)],
    [grouped(version)],
    [timestampOf(registeredAt).replace(/\.\d+Z$/, 'Z')],
    [tinted('dim', contentHash.slice(0, 12))],
  ]);
  const hint: readonly Line[] = more === undefined ? [] : [[tinted('dim', `more: ${visible(more)}`)]];
  return [...table(COLUMNS, rows), ...hint].map((line) => `${paint(line, color)}\n`).join('');
}

/** The same as one line of JSON: a list, without the texts. */
export const catalogListJson = (entries: readonly CatalogEntry[]): string =>
  `${JSON.stringify(entries.map(entryFields))}\n`;

/** One entry as a line of JSON, with its text, and with its author's if that is another one. */
export const catalogEntryJson = (entry: CatalogEntry): string =>
  `${JSON.stringify({ ...entryFields(entry), text: entry.text, original: entry.original?.text })}\n`;

const entryFields = ({ path, version, contentHash, registeredAt }: CatalogEntry) => ({
  path,
  version,
  content_hash: contentHash,
  registered_at: timestampOf(registeredAt),
});
