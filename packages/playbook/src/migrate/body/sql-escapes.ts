import type { ast } from '@noetl/template';
import { spanOf } from '../names/expression-span.ts';
import { isOlder } from '../names/is-older.ts';
import { rewriteTemplate } from '../names/rewrite-template.ts';
import { entryOf, mapScalars, replacedValue, textOf } from '../tree/edit.ts';
import { respelled, type TextEdit } from '../tree/respell.ts';
import type { TaskRule } from './task-rule.ts';

/**
 * `replace("'", "''")` in a statement kept apostrophes of a value from ending the literal. Values are bound now (TOOL-3):
 * they would be stored with every apostrophe doubled.
 */
export const migrateSqlEscapes: TaskRule = (task, { facts, journal }) =>
  isOlder(facts)
    ? ['command', 'query', 'commands'].reduce((changed, key) => {
        const field = entryOf(changed, key);
        if (field === undefined) return changed;
        const value = mapScalars(
          field.value,
          (scalar, at) => {
            const edits = escapesIn(textOf(scalar) ?? '');
            if (edits.length > 0)
              journal.note('sql-escapes', at, 'apostrophes of a value are not doubled any more: it is bound');
            return respelled(scalar, edits);
          },
          field.at,
        );
        return value === field.value ? changed : replacedValue(changed, key, value);
      }, task)
    : task;

/** Each from behind what is escaped: that may read names of the template's own, and stays as it is. */
function escapesIn(source: string): readonly TextEdit[] {
  const edits: TextEdit[] = [];
  rewriteTemplate(source, {
    expression: (node) => {
      if (!escapes(node)) return undefined;
      const { end } = spanOf(node.value, source);
      const closed = /^(?:\s*\))*/.exec(source.slice(end))?.[0].length ?? 0;
      edits.push({ start: end + closed, end: spanOf(node, source).end, text: '' });
      return undefined;
    },
  });
  return edits;
}

function escapes(node: ast.Expression): node is ast.Filter & { readonly value: ast.Expression } {
  if (node.kind !== 'filter' || node.name !== 'replace' || node.value === undefined) return false;
  const [one, two, ...more] = node.args.positional.map((arg) => (arg.kind === 'literal' ? arg.value : undefined));
  return one === "'" && two === "''" && more.length === 0 && node.args.named.length === 0;
}
