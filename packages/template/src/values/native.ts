import type { Budget } from '../budget.ts';
import { limitFault, valueFault } from '../template-error.ts';
import { Dict } from './dict.ts';
import { Float, floatText, isFloat } from './float.ts';
import { integerText } from './integer.ts';
import { isList, Tuple } from './list.ts';
import { Markup } from './markup.ts';
import { Range } from './range.ts';
import { Special } from './special.ts';
import { Printable, toRepr } from './text.ts';
import { Undefined } from './undefined.ts';

/**
 * - `native`: integers beyond 2^53 are bigints, floats may be nan and infinite.
 * - `json`: such integers are their decimal text, nan and infinity are errors, so that the value survives JSON (TPL-8).
 */
export type ValueForm = 'native' | 'json';

/**
 * A value as it leaves the template: plain data. The caller's own arrays and objects come back as they are, by
 * reference; only what the template made is rebuilt.
 */
export function toNative(value: unknown, budget: Budget, form: ValueForm = 'native', depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return form === 'json' ? toJsonScalar(value) : value;
  if (isList(value)) return sequence(value, budget, form, depth);
  if (!(value instanceof Special)) return value;
  if (value instanceof Float) return value.value;
  if (value instanceof Markup) return value.text;
  if (value instanceof Undefined) return leaveUndefined(value, depth);
  if (value instanceof Tuple) return sequence(value.items, budget, form, depth);
  if (value instanceof Dict) return mapping(value, budget, form, depth);
  if (value instanceof Range) {
    budget.items(value.length);
    return Array.from(value);
  }
  return value instanceof Printable ? value.print() : toRepr(value, budget);
}

function toJsonScalar(value: unknown): unknown {
  if (typeof value === 'bigint') return integerText(value);
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  throw valueFault(`${floatText(value)} has no form in JSON.`);
}

/** Inside a list a strict undefined was not used yet; as the value of the whole template it is. */
function leaveUndefined(value: Undefined, depth: number): undefined {
  if (depth === 0 || value.mode === 'checked') value.checkReadable();
  return undefined;
}

function sequence(items: readonly unknown[], budget: Budget, form: ValueForm, depth: number): unknown[] {
  checkDepth(budget, depth);
  return Array.from(items, (item) => toNative(item, budget, form, depth + 1));
}

function mapping(dict: Dict, budget: Budget, form: ValueForm, depth: number): Record<string, unknown> {
  checkDepth(budget, depth);
  const object: Record<string, unknown> = {};
  for (const { key, value } of dict.entries()) {
    const native = toNative(value, budget, form, depth + 1);
    const name = keyText(key, budget);
    // Assigning `__proto__` would set the prototype.
    if (name === '__proto__')
      Object.defineProperty(object, name, { value: native, enumerable: true, writable: true, configurable: true });
    else object[name] = native;
  }
  return object;
}

/** JSON has text keys only; the others are spelled as Python's json module spells them. */
export function keyText(key: unknown, budget: Budget): string {
  if (typeof key === 'string') return key;
  if (key instanceof Markup) return key.text;
  if (key === null) return 'null';
  if (typeof key === 'boolean') return String(key);
  return isFloat(key) ? floatText(typeof key === 'number' ? key : key.value) : toRepr(key, budget);
}

function checkDepth(budget: Budget, depth: number): void {
  budget.step();
  if (depth > budget.limits.nesting) throw limitFault('this value is nested too deeply.');
}
