import type { Budget } from '../budget.ts';
import { limitFault } from '../template-error.ts';
import { isFloat, unwrapFloat } from './float.ts';
import { integerOf, isInteger } from './integer.ts';
import { Tuple } from './list.ts';
import { isMapping, type Mapping, mappingEntries, mappingGet, mappingHas, mappingSize } from './mapping.ts';
import { Markup } from './markup.ts';
import { Range } from './range.ts';
import { Undefined } from './undefined.ts';

/** Python's `==`: numbers by value (True is 1), lists and mappings by their items, text never equals a number. */
export function isEqual(a: unknown, b: unknown, budget: Budget, depth = 0): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a === b;
  if (typeof a === 'number' && typeof b === 'number') return a === b;
  if (a instanceof Undefined || b instanceof Undefined) return undefinedEqual(a, b);
  if (isNumber(a)) return isNumber(b) && numbersEqual(a, b);
  if (a instanceof Markup) return isEqual(a.text, b, budget, depth);
  if (b instanceof Markup) return isEqual(a, b.text, budget, depth);
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  budget.step();
  if (depth > budget.limits.nesting) throw limitFault('these values are nested too deeply to compare.');
  if (Array.isArray(a)) return Array.isArray(b) && sequencesEqual(a, b, budget, depth);
  if (a instanceof Tuple) return b instanceof Tuple && sequencesEqual(a.items, b.items, budget, depth);
  if (a instanceof Range) return b instanceof Range && rangesEqual(a, b);
  return isMapping(a) && isMapping(b) && mappingsEqual(a, b, budget, depth);
}

function undefinedEqual(a: unknown, b: unknown): boolean {
  if (a instanceof Undefined) a.checkComparable();
  if (b instanceof Undefined) b.checkComparable();
  if (!(a instanceof Undefined) || !(b instanceof Undefined)) return false;
  // Jinja compares the classes of its modes; what we check beyond them has no class there.
  return a.mode === b.mode || a.mode === 'checked' || b.mode === 'checked';
}

export type Numeric = number | bigint | boolean | Exclude<Parameters<typeof unwrapFloat>[0], number>;

export const isNumber = (value: unknown): value is Numeric => isInteger(value) || isFloat(value);

function numbersEqual(a: Numeric, b: Numeric): boolean {
  const x = plain(a);
  const y = plain(b);
  if (typeof x === typeof y) return x === y;
  // JavaScript orders a bigint and a number by exact value, as Python does.
  return !(x < y) && !(x > y) && !Number.isNaN(Number(x)) && !Number.isNaN(Number(y));
}

/** A number that JavaScript's comparison operators treat exactly as Python would. */
export const plain = (value: Numeric): number | bigint => (isFloat(value) ? unwrapFloat(value) : integerOf(value));

function sequencesEqual(a: readonly unknown[], b: readonly unknown[], budget: Budget, depth: number): boolean {
  if (a.length !== b.length) return false;
  budget.step(a.length);
  return a.every((item, i) => isEqual(item, b[i], budget, depth + 1));
}

function rangesEqual(a: Range, b: Range): boolean {
  if (a.length !== b.length) return false;
  return a.length === 0 || (a.start === b.start && (a.length === 1 || a.step === b.step));
}

function mappingsEqual(a: Mapping, b: Mapping, budget: Budget, depth: number): boolean {
  if (mappingSize(a) !== mappingSize(b)) return false;
  budget.step(mappingSize(a));
  return mappingEntries(a).every(
    ({ key, value }) => mappingHas(b, key) && isEqual(value, mappingGet(b, key), budget, depth + 1),
  );
}
