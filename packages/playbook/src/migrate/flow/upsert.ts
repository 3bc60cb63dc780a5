import { expressionOf } from '../names/condition.ts';
import { entry } from '../tree/build.ts';
import { entryOf, textOf, withEntries, without } from '../tree/edit.ts';
import type { EntryTree, MapTree } from '../tree/tree.ts';
import type { StepFlow } from './step-flow.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `mode: upsert` with `key`: a row that is there already gets the new values. */
export function upsertStatement(body: MapTree, columns: EntryTree, flow: StepFlow): MapTree | undefined {
  const table = textOf(entryOf(body, 'table')?.value);
  const key = entryOf(body, 'key');
  const keys = key?.value.kind === 'list' ? key.value.items.map(({ value }) => textOf(value)) : [textOf(key?.value)];
  const names = columns.value.kind === 'map' ? columns.value.entries.map(({ key: name }) => name) : [];
  const known = keys.filter((name) => name !== undefined);
  const plain = table !== undefined && [...table.split('.'), ...names, ...known].every((name) => NAME.test(name));
  if (!plain || names.length === 0 || known.length < keys.length) {
    flow.journal.problem(
      columns.at,
      "the sink has mode 'upsert' without a plain table, key and columns",
      'Write the INSERT … ON CONFLICT statement as the command of a task.',
    );
    return undefined;
  }
  const updated = names.filter((name) => !known.includes(name));
  const conflict =
    updated.length === 0
      ? 'DO NOTHING'
      : `DO UPDATE SET ${updated.map((name) => `${name} = EXCLUDED.${name}`).join(', ')}`;
  const values = names.map((name) => valueText(columns, name)).join(', ');
  const statement = `INSERT INTO ${table} (${names.join(', ')})\nVALUES (${values})\nON CONFLICT (${known.join(', ')}) ${conflict}\n`;
  const rest = without(body, 'table', 'mode', 'key', columns.key);
  return withEntries(rest, [...rest.entries, entry('command', statement, columns.at)]);
}

/** Templates in a statement are bound as parameters; other values are written as literals. */
function valueText(columns: EntryTree, name: string): string {
  const tree = columns.value.kind === 'map' ? entryOf(columns.value, name)?.value : undefined;
  const value = tree?.kind === 'scalar' ? tree.value : null;
  if (typeof value !== 'string') return value === null ? 'NULL' : String(value);
  return expressionOf(value) !== undefined ? value.trim() : `'${value.replaceAll("'", "''")}'`;
}
