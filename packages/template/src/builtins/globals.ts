import type { Run } from '../evaluation/run.ts';
import { limitFault, typeFault, valueFault } from '../template-error.ts';
import { type CallArguments, Callable, type HasMethods } from '../values/callable.ts';
import { Dict } from '../values/dict.ts';
import { isMapping, mappingEntries, visible } from '../values/mapping.ts';
import { Namespace } from '../values/namespace.ts';
import { Range } from '../values/range.ts';
import { iterate } from '../values/sequence.ts';
import type { Kind } from '../values/special.ts';
import { Printable, toText } from '../values/text.ts';
import { Undefined } from '../values/undefined.ts';
import { integerArgument } from './definition.ts';
import { lipsum } from './lipsum.ts';

class GlobalFunction extends Callable {
  readonly name: string;
  private readonly body: (run: Run, args: CallArguments) => unknown;

  constructor(name: string, body: (run: Run, args: CallArguments) => unknown) {
    super();
    this.name = name;
    this.body = body;
  }

  call(run: Run, args: CallArguments): unknown {
    return this.body(run, args);
  }
}

/** `cycler('a', 'b')`: gives its values in turn, across loops. */
class Cycler extends Printable implements HasMethods {
  private readonly values: readonly unknown[];
  private position = 0;

  constructor(values: readonly unknown[]) {
    super();
    this.values = values;
  }

  get kind(): Kind {
    return 'object';
  }

  override attribute(name: string): unknown {
    if (name === 'current') return this.values[this.position];
    return name === 'pos' ? this.position : undefined;
  }

  callMethod(_run: Run, name: string): unknown {
    if (name === 'reset') {
      this.position = 0;
      return null;
    }
    if (name !== 'next') return undefined;
    const value = this.values[this.position];
    this.position = (this.position + 1) % this.values.length;
    return value;
  }

  print(): string {
    return '<Cycler>';
  }
}

function range(run: Run, { positional, named }: CallArguments): Range {
  if (named.size > 0 || positional.length < 1 || positional.length > 3)
    throw typeFault('range takes one to three integers.');
  const numbers = positional.map((value) => integerArgument(value, 'an argument of range'));
  const [start = 0, stop = 0, step = 1] = numbers.length === 1 ? [0, ...numbers] : numbers;
  if (step === 0) throw valueFault('the step of a range cannot be 0.');
  const made = new Range(start, stop, step);
  if (made.length > run.budget.limits.range) {
    throw limitFault(`a range of ${made.length} items is over the limit of ${run.budget.limits.range}.`);
  }
  return made;
}

function dict(run: Run, { positional, named }: CallArguments): Dict {
  if (positional.length > 1) throw typeFault('dict takes one mapping or list of pairs, and names.');
  const result = new Dict();
  const [source] = positional;
  if (isMapping(source)) for (const { key, value } of mappingEntries(source)) result.set(key, value);
  else if (source instanceof Undefined) throw source.fault();
  else if (source !== undefined) {
    for (const pair of iterate(source, run.budget)) {
      const items = iterate(pair, run.budget);
      if (items.length !== 2) throw valueFault('dict needs pairs of a key and a value.');
      result.set(items[0], items[1]);
    }
  }
  for (const [key, value] of named) result.set(key, value);
  run.budget.items(result.size);
  return result;
}

function namespace(run: Run, args: CallArguments): Namespace {
  const made = new Namespace();
  for (const { key, value } of dict(run, args).entries()) made.set(toText(key, run.budget), value);
  return made;
}

function cycler(_run: Run, { positional, named }: CallArguments): Cycler {
  if (positional.length === 0 || named.size > 0) throw typeFault('cycler needs at least one value.');
  return new Cycler(positional);
}

/** `joiner(', ')`: nothing the first time it is called, the separator after that. */
function joiner(_run: Run, { positional, named }: CallArguments): Callable {
  const separator = positional[0] ?? named.get('sep') ?? ', ';
  let used = false;
  return new GlobalFunction('joiner', () => {
    const text = used ? separator : '';
    used = true;
    return text;
  });
}

function now(run: Run, { positional, named }: CallArguments): unknown {
  if (positional.length > 0 || named.size > 0) throw typeFault('now takes no arguments.');
  if (run.options.now === undefined) throw valueFault('now() has no time here: none was passed to this evaluation.');
  return visible(run.options.now()) ?? null;
}

export const GLOBALS: ReadonlyMap<string, unknown> = new Map(
  Object.entries({ range, dict, namespace, cycler, joiner, lipsum, now }).map(([name, body]) => [
    name,
    new GlobalFunction(name, body),
  ]),
);

/** A function of the caller, callable from templates as a global. */
export const globalFunction = (name: string, body: (run: Run, args: CallArguments) => unknown): Callable =>
  new GlobalFunction(name, body);
