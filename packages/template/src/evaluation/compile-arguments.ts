import type * as ast from '../syntax/ast.ts';
import { typeFault } from '../template-error.ts';
import { type CallArguments, NO_NAMED } from '../values/callable.ts';
import { isMapping, mappingEntries } from '../values/mapping.ts';
import { isText, textOf } from '../values/markup.ts';
import { iterate } from '../values/sequence.ts';
import { typeName } from '../values/special.ts';
import type { Evaluate, Frame } from './frame.ts';

export function compileArguments(
  args: ast.Arguments,
  compile: (expression: ast.Expression) => Evaluate,
): (frame: Frame) => CallArguments {
  const positional = args.positional.map(compile);
  if (args.named.length === 0 && args.rest === undefined && args.more === undefined) {
    return (frame) => ({ positional: positional.map((value) => value(frame)), named: NO_NAMED });
  }
  const named = args.named.map(({ name, value }) => ({ name, value: compile(value) }));
  const rest = args.rest === undefined ? undefined : compile(args.rest);
  const more = args.more === undefined ? undefined : compile(args.more);
  return (frame) => {
    const values = positional.map((value) => value(frame));
    if (rest !== undefined) values.push(...iterate(rest(frame), frame.run.budget));
    const byName = new Map(named.map(({ name, value }) => [name, value(frame)]));
    if (more !== undefined) addMapping(byName, more(frame));
    return { positional: values, named: byName };
  };
}

function addMapping(named: Map<string, unknown>, value: unknown): void {
  if (!isMapping(value)) throw typeFault(`'**' needs a mapping, found ${typeName(value)}.`);
  for (const entry of mappingEntries(value)) {
    if (!isText(entry.key)) throw typeFault(`'**' needs names as keys, found ${typeName(entry.key)}.`);
    const name = textOf(entry.key);
    if (named.has(name)) throw typeFault(`the argument '${name}' is given twice.`);
    named.set(name, entry.value);
  }
}
