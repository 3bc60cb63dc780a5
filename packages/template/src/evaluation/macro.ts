import { didYouMean } from '../nearest-name.ts';
import { typeFault } from '../template-error.ts';
import { type CallArguments, Callable } from '../values/callable.ts';
import { Dict } from '../values/dict.ts';
import { Tuple } from '../values/list.ts';
import { quoteText } from '../values/text.ts';
import { Undefined } from '../values/undefined.ts';
import type { Evaluate, Execute, Frame } from './frame.ts';
import type { Run } from './run.ts';

export interface MacroDefinition {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly fallback: Evaluate | undefined }[];
  readonly body: Execute;
  /** Whether the body reads `varargs`, `kwargs`, `caller`: only then may it be given more than its parameters. */
  readonly readsVarargs: boolean;
  readonly readsKwargs: boolean;
  readonly readsCaller: boolean;
}

/** A macro call costs about as much as this many turns of an empty loop. */
const MACRO_STEPS = 10;

/** `{% macro %}`, and the body of `{% call %}`: a function that returns text. */
export class Macro extends Callable {
  private readonly definition: MacroDefinition;
  private readonly frame: Frame;

  constructor(definition: MacroDefinition, frame: Frame) {
    super();
    this.definition = definition;
    this.frame = frame;
  }

  get name(): string {
    return this.definition.name;
  }

  override attribute(name: string): unknown {
    switch (name) {
      case 'name':
        return this.definition.name;
      case 'arguments':
        return new Tuple(this.definition.parameters.map((parameter) => parameter.name));
      case 'catch_varargs':
        return this.definition.readsVarargs;
      case 'catch_kwargs':
        return this.definition.readsKwargs;
      case 'caller':
        return this.definition.readsCaller;
      default:
        return undefined;
    }
  }

  call(run: Run, args: CallArguments): string {
    const frame = this.frame.inner();
    run.budget.step(MACRO_STEPS);
    return run.deeper(() => {
      this.assign(frame, args);
      return run.capture(() => this.definition.body(frame));
    });
  }

  private assign(frame: Frame, { positional, named }: CallArguments): void {
    const { name, parameters, readsVarargs, readsKwargs, readsCaller } = this.definition;
    const left = new Map(named);
    // A default sees the parameters, not names of the scope that are called the same.
    for (const parameter of parameters) frame.set(parameter.name, this.missing(frame, parameter.name));
    parameters.forEach((parameter, i) => {
      if (i < positional.length) {
        if (left.has(parameter.name))
          throw typeFault(`the macro '${name}' got the argument '${parameter.name}' twice.`);
        frame.set(parameter.name, positional[i]);
      } else if (left.has(parameter.name)) {
        frame.set(parameter.name, left.get(parameter.name));
        left.delete(parameter.name);
      } else {
        frame.set(parameter.name, this.fallback(parameter, frame));
      }
    });
    if (readsCaller) {
      frame.set('caller', left.get('caller') ?? this.missing(frame, 'caller'));
      left.delete('caller');
    }
    if (readsVarargs) frame.set('varargs', new Tuple(positional.slice(parameters.length)));
    else if (positional.length > parameters.length) {
      throw typeFault(`the macro '${name}' takes at most ${parameters.length} arguments, found ${positional.length}.`);
    }
    if (readsKwargs) frame.set('kwargs', dictOf(left));
    else if (left.size > 0) {
      const [unknown = ''] = left.keys();
      throw typeFault(
        `the macro '${name}' has no argument '${unknown}'.`,
        didYouMean(
          unknown,
          parameters.map((p) => p.name),
        ),
      );
    }
  }

  private fallback(parameter: MacroDefinition['parameters'][number], frame: Frame): unknown {
    return parameter.fallback === undefined ? this.missing(frame, parameter.name) : parameter.fallback(frame);
  }

  private missing(frame: Frame, name: string): Undefined {
    return new Undefined(frame.run.undefinedMode, { path: name, name });
  }

  override print(): string {
    return `<Macro ${quoteText(this.definition.name)}>`;
  }
}

function dictOf(entries: ReadonlyMap<string, unknown>): Dict {
  const dict = new Dict();
  for (const [key, value] of entries) dict.set(key, value);
  return dict;
}
