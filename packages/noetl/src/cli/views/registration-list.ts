import type { Diagnostic } from '@noetl/playbook';
import type { CatalogEntry } from '../../ports/catalog.ts';
import { type Line, paint, tinted } from './line.ts';
import { grouped } from './quantity.ts';
import { table } from './table.ts';
import { visible } from './visible.ts';

/** What became of a file that was to be registered. */
export type Registration =
  | { readonly file: string; readonly entry: CatalogEntry; readonly isNew: boolean }
  /** Nothing: it, or another one, is not valid. */
  | { readonly file: string; readonly entry: undefined; readonly errors: readonly Diagnostic[] };

export function registrationList(registrations: readonly Registration[], color: boolean): string {
  const rows = registrations.flatMap(({ file, ...registration }): readonly (readonly Line[])[] => {
    if (registration.entry === undefined) return [];
    const { entry, isNew } = registration;
    const word = isNew ? tinted('green', 'registered') : tinted('dim', 'unchanged');
    return [[[visible(entry.path)], [grouped(entry.version)], [word], [tinted('dim', visible(file))]]];
  });
  const columns = [
    { title: 'PLAYBOOK' },
    { title: 'VERSION', align: 'right' },
    { title: '' },
    { title: 'FILE' },
  ] as const;
  return table(columns, rows)
    .map((line) => `${paint(line, color)}\n`)
    .join('');
}

/** The same as one line of JSON: a list with an entry for each file. */
export function registrationListJson(registrations: readonly Registration[]): string {
  const list = registrations.map(({ file, ...registration }) => {
    if (registration.entry === undefined) {
      const diagnostics = registration.errors.map(({ code, severity, line, column, message, hint }) => {
        return { code, severity, line, column, message, hint };
      });
      return { file, status: diagnostics.length === 0 ? 'not registered' : 'invalid', diagnostics };
    }
    const { path, version, contentHash } = registration.entry;
    return { file, status: registration.isNew ? 'registered' : 'unchanged', path, version, content_hash: contentHash };
  });
  return `${JSON.stringify(list)}\n`;
}
