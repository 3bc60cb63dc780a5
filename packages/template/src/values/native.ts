import type { Budget } from '../budget.ts';
import { limitFault } from '../template-error.ts';
import { Dict } from './dict.ts';
import { Float, floatText, isFloat } from './float.ts';
import { isList, Tuple } from './list.ts';
import { Markup } from './markup.ts';
import { Range } from './range.ts';
import { Special } from './special.ts';
import { Printable, toRepr } from './text.ts';
import { Undefined } from './undefined.ts';

/**
 * A value as it leaves the template: plain data. The caller's own arrays and objects come back as they are, by
 * reference; only what the template made is rebuilt.
 */
export function toNative(value: unknown, budget: Budget, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return sequence(value, budget, depth);
  if (!(value instanceof Special)) return value;
  if (value instanceof Float) return value.value;
  if (value instanceof Markup) return value.text;
  if (value instanceof Undefined) return leaveUndefined(value, depth);
  if (value instanceof Tuple) return sequence(value.items, budget, depth);
  if (value instanceof Dict) return mapping(value, budget, depth);
  if (value instanceof Range) {
    budget.items(value.length);
    return Array.from(value);
  }
  return value instanceof Printable ? value.print() : toRepr(value, budget);
}

/** Inside a list a strict undefined was not used yet; as the value of the whole template it is. */
function leaveUndefined(value: Undefined, depth: number): undefined {
  if (depth === 0 || value.mode === 'checked') value.checkReadable();
  return undefined;
}

function sequence(items: readonly unknown[], budget: Budget, depth: number): unknown[] {
  checkDepth(budget, depth);
  return Array.from(items, (item) => toNative(item, budget, depth + 1));
}

function mapping(dict: Dict, budget: Budget, depth: number): Record<string, unknown> {
  checkDepth(budget, depth);
  const object: Record<string, unknown> = {};
  for (const { key, value } of dict.entries()) {
    const native = toNative(value, budget, depth + 1);
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
