import { didYouMean } from '../nearest-name.ts';
import { typeFault } from '../template-error.ts';
import type { CallArguments } from '../values/callable.ts';

/** A parameter that must be given, or one with the value it has otherwise. */
export type Parameter = string | readonly [name: string, fallback: unknown];

const nameOf = (parameter: Parameter): string => (typeof parameter === 'string' ? parameter : parameter[0]);

/** Arguments in the order of the parameters, with Python's rules: by position, by name, each once. */
export function bindArguments(what: string, parameters: readonly Parameter[], args: CallArguments): readonly unknown[] {
  const { positional, named } = args;
  if (named.size === 0 && positional.length === parameters.length) return positional;
  if (positional.length > parameters.length) {
    throw typeFault(`${what} takes ${count(parameters.length)}, found ${positional.length}.`);
  }
  for (const name of named.keys()) {
    const index = parameters.findIndex((parameter) => nameOf(parameter) === name);
    if (index < 0) {
      throw typeFault(`${what} has no argument '${name}'.`, didYouMean(name, parameters.map(nameOf)));
    }
    if (index < positional.length) throw typeFault(`${what} got the argument '${name}' twice.`);
  }
  return parameters.map((parameter, i) => {
    if (i < positional.length) return positional[i];
    const name = nameOf(parameter);
    if (named.has(name)) return named.get(name);
    if (typeof parameter === 'string') throw typeFault(`${what} needs the argument '${name}'.`);
    return parameter[1];
  });
}

const count = (n: number): string => (n === 0 ? 'no arguments' : n === 1 ? 'one argument' : `at most ${n} arguments`);
