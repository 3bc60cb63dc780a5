import { expressionOf, templateOf } from '../names/condition.ts';
import { entry, map } from '../tree/build.ts';
import { entryOf, fieldOf, replacedValue, textOf } from '../tree/edit.ts';
import { respelled } from '../tree/respell.ts';
import { codeTemplates } from './python-lines.ts';
import { type TaskRule, withArgs } from './task-rule.ts';

/**
 * Older engines rendered templates in code; code is never a template now (TOOL-4). A `{{ … }}` outside of quotes, which
 * Python itself always refuses, becomes an arg. What stands in quotes may be meant as it is.
 */
export const migrateCodeValues: TaskRule = (task, { journal }) => {
  const code = entryOf(task, 'code');
  const source = textOf(code?.value);
  if (code?.value.kind !== 'scalar' || source === undefined || !source.includes('{{')) return task;
  const found = codeTemplates(source).filter(({ expression }) => expressionOf(templateOf(expression)) !== undefined);
  if (found.length === 0) return task;
  const args = fieldOf(task, 'args');
  const taken = new Set(args?.kind === 'map' ? args.entries.map(({ key }) => key) : []);
  const names = new Map<string, string>();
  for (const { expression } of found) {
    if (!names.has(expression))
      names.set(expression, freeName(expression, source, new Set([...taken, ...names.values()])));
  }
  const given = [...names].map(([expression, name]) => entry(name, templateOf(expression), code.at));
  const edits = found.map(({ start, end, expression }) => ({ start, end, text: names.get(expression) ?? '' }));
  const changed = replacedValue(task, 'code', respelled(code.value, edits));
  const passed = withArgs(changed, entry('args', map(...given), code.at));
  if (passed === undefined) return task;
  for (const [expression, name] of names)
    journal.note('code-values', code.at, `'{{ ${expression} }}' in the code becomes the arg '${name}'`);
  return passed;
};

/** A name that neither the code nor the args have. */
function freeName(expression: string, source: string, taken: ReadonlySet<string>): string {
  const last = /([A-Za-z_]\w*)\W*$/.exec(expression.split('|')[0] ?? '')?.[1] ?? 'template';
  let name = `${last}_value`;
  while (taken.has(name) || new RegExp(`\\b${name}\\b`).test(source)) name = `${name}_`;
  return name;
}
