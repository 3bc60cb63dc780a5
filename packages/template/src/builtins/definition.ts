import type { Run } from '../evaluation/run.ts';
import { didYouMean } from '../nearest-name.ts';
import { Fault, typeFault } from '../template-error.ts';
import { integerOf, isInteger } from '../values/integer.ts';
import { isText, textOf } from '../values/markup.ts';
import { typeName } from '../values/special.ts';
import { Undefined } from '../values/undefined.ts';
import type { Parameter } from './signature.ts';

/** A filter, test or method: `value` is what stands before the `|`, the `is` or the dot. */
export interface Definition<Result> {
  /** Undefined for those that take whatever they are given. */
  readonly parameters: readonly Parameter[] | undefined;
  apply(run: Run, value: unknown, args: readonly unknown[], named: ReadonlyMap<string, unknown>): Result;
}

export type FilterDefinition = Definition<unknown>;
export type TestDefinition = Definition<boolean>;
export type MethodDefinition = Definition<unknown>;

/** What to say when a filter or test does not exist. */
export function unknownDefinition(word: 'filter' | 'test', name: string, known: Iterable<string>): Fault {
  return new Fault('NOETL_TEMPLATE_NAME', `there is no ${word} '${name}'.`, didYouMean(name, known));
}

type Apply<Result> = (run: Run, value: unknown, args: readonly unknown[]) => Result;

export const define = <Result>(parameters: readonly Parameter[], apply: Apply<Result>): Definition<Result> => ({
  parameters,
  apply,
});

export const defineVariadic = <Result>(
  apply: (run: Run, value: unknown, args: readonly unknown[], named: ReadonlyMap<string, unknown>) => Result,
): Definition<Result> => ({ parameters: undefined, apply });

/** Arguments as the types the built-ins need, or a clear error. */
export function textArgument(value: unknown, what: string): string {
  if (isText(value)) return textOf(value);
  if (value instanceof Undefined) throw value.fault();
  throw typeFault(`${what} is text, not ${typeName(value)}.`);
}

export function integerArgument(value: unknown, what: string): number {
  if (isInteger(value)) return Number(integerOf(value));
  if (value instanceof Undefined) throw value.fault();
  throw typeFault(`${what} is an integer, not ${typeName(value)}.`);
}

/** A flag where Python wants a boolean or an integer and nothing else. */
export const flagArgument = (value: unknown, what: string): boolean => integerArgument(value, what) !== 0;
