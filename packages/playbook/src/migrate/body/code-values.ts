import { expressionOf, templateOf } from '../names/condition.ts';
import { entry, map } from '../tree/build.ts';
import { entryOf, fieldOf, replacedValue, textOf } from '../tree/edit.ts';
import { respelled } from '../tree/respell.ts';
import { pythonLines } from './python-lines.ts';
import { type TaskRule, withArgs } from './task-rule.ts';

interface Found {
  readonly start: number;
  readonly end: number;
  readonly expression: string;
}

/**
 * Older engines rendered templates in code; code is never a template now (TOOL-4). A `{{ … }}` outside of quotes, which
 * Python itself always refuses, becomes an arg. What stands in quotes may be meant as it is.
 */
export const migrateCodeValues: TaskRule = (task, { journal }) => {
  const code = entryOf(task, 'code');
  const source = textOf(code?.value);
  if (code?.value.kind !== 'scalar' || source === undefined || !source.includes('{{')) return task;
  const found = templatesIn(source);
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

function templatesIn(source: string): readonly Found[] {
  const found: Found[] = [];
  let start = 0;
  for (const { text, quoted } of pythonLines(source)) {
    for (const match of quoted ? [] : text.matchAll(/\{\{(?:[^{}])+\}\}/g)) {
      const expression = isOutside(text.slice(0, match.index)) ? expressionOf(match[0]) : undefined;
      if (expression !== undefined)
        found.push({ start: start + match.index, end: start + match.index + match[0].length, expression });
    }
    start += text.length + 1;
  }
  return found;
}

/** Whether the place behind these characters of a line is outside of quotes and comments. */
function isOutside(before: string): boolean {
  let quote: string | undefined;
  for (let at = 0; at < before.length; at += 1) {
    const char = before[at];
    if (char === '\\') at += 1;
    else if (quote === undefined && char === '#') return false;
    else if (quote === undefined && (char === '"' || char === "'")) quote = char;
    else if (char === quote) quote = undefined;
  }
  return quote === undefined;
}

/** A name that neither the code nor the args have. */
function freeName(expression: string, source: string, taken: ReadonlySet<string>): string {
  const last = /([A-Za-z_]\w*)\W*$/.exec(expression.split('|')[0] ?? '')?.[1] ?? 'template';
  let name = `${last}_value`;
  while (taken.has(name) || new RegExp(`\\b${name}\\b`).test(source)) name = `${name}_`;
  return name;
}
