import { entry, map, scalar } from '../tree/build.ts';
import { entryOf, fieldOf, replacedValue, textOf } from '../tree/edit.ts';
import type { MapTree } from '../tree/tree.ts';
import { type PythonLine, pythonLines } from './python-lines.ts';
import { type TaskContext, type TaskRule, withArgs } from './task-rule.ts';

/** Code that relied on what older engines put around it: names that nobody gave, and a `return` outside of a function. */
export const migratePythonCode: TaskRule = (task, context) =>
  withReturn(withInputData(withContext(task, context), context), context);

const IDENTIFIER = /^[A-Za-z_]\w*$/;

const argNames = (task: MapTree): readonly string[] => {
  const args = fieldOf(task, 'args');
  return args?.kind === 'map' ? args.entries.map(({ key }) => key).filter((key) => IDENTIFIER.test(key)) : [];
};

/** Whether the code reads the name without anybody having given it. */
function reads(task: MapTree, code: string, name: string): boolean {
  const given = new RegExp(
    [
      `\\b${name}\\s*(?::[^=\\n]+)?:?=(?!=)`,
      `^[\\w, ]*\\b${name}\\b[\\w, ]*=(?!=)`,
      `\\b(?:as|import|global)\\s+${name}\\b`,
      `\\b(?:def|lambda|for|import)\\b.*\\b${name}\\b`,
    ].join('|'),
    'm',
  );
  const read = new RegExp(`(?<![\\w.'"])${name}(?![\\w'"])`);
  const used = pythonLines(code).some(({ text, quoted }) => !quoted && read.test(text.replace(/#.*$/, '')));
  return used && !given.test(code) && !argNames(task).includes(name);
}

/** `input_data` was a mapping of all args; without args, what the token carried. */
function withInputData(task: MapTree, { journal }: TaskContext): MapTree {
  const code = entryOf(task, 'code');
  const source = textOf(code?.value);
  if (code === undefined || source === undefined || !reads(task, source, 'input_data')) return task;
  const names = argNames(task);
  if (names.length === 0) {
    journal.note('python-names', code.at, "the code reads 'input_data': args give it what the token carries");
    return withArgs(task, entry('args', map(entry('input_data', '{{ args }}', code.at)), code.at)) ?? task;
  }
  const line = `input_data = {${names.map((name) => `"${name}": ${name}`).join(', ')}}`;
  journal.note('python-names', code.at, `the code reads 'input_data': it begins with '${line}'`);
  return replacedValue(task, 'code', scalar(`${line}\n${source}`));
}

/** `context` held all that templates could read; code that names what it wants of it is given that. */
function withContext(task: MapTree, { journal, facts }: TaskContext): MapTree {
  const code = entryOf(task, 'code');
  const source = textOf(code?.value);
  if (code === undefined || source === undefined || !reads(task, source, 'context')) return task;
  const named = [...source.matchAll(/\bcontext(?:\.get\(|\[)\s*(['"])(\w+)\1/g)].map(([, , name = '']) => name);
  if (named.length < [...source.matchAll(/\bcontext\s*[.[]/g)].length || named.length === 0) {
    // Canonical code may have it from somewhere that its form does not show.
    if (facts.dialects.has('v10')) return task;
    journal.problem(
      code.at,
      "the code reads 'context', which no task is given",
      'Give it what it reads: args: { name: "{{ name }}" }.',
    );
    return task;
  }
  const wanted = [...new Set(named)];
  journal.note('python-names', code.at, `the code reads 'context': args give it ${wanted.join(', ')}`);
  const values = map(...wanted.map((name) => entry(name, `{{ ${name} }}`, code.at)));
  return withArgs(task, entry('args', map(entry('context', values, code.at)), code.at)) ?? task;
}

/** Code with a `return` of its own was the body of a function. */
function withReturn(task: MapTree, { journal }: TaskContext): MapTree {
  const code = entryOf(task, 'code');
  const source = textOf(code?.value);
  if (code === undefined || source === undefined) return task;
  const lines = pythonLines(source);
  const returns = ({ text, quoted, inner }: PythonLine) => !quoted && !inner && /^\s*return\b/.test(text);
  if (!lines.some(returns)) return task;
  journal.note('python-return', code.at, "the code becomes the body of 'main', whose value is the result");
  const body = lines.map(({ text, quoted }) => (quoted || text.trim() === '' ? text : `    ${text}`)).join('\n');
  return replacedValue(task, 'code', scalar(`def main(${argNames(task).join(', ')}):\n${body}`));
}
