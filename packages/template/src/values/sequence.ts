import type { Budget } from '../budget.ts';
import { typeFault } from '../template-error.ts';
import { codePoints, textLength } from './code-points.ts';
import { Tuple } from './list.ts';
import { isMapping, mappingKeys, mappingSize } from './mapping.ts';
import { isText, textOf } from './markup.ts';
import { Range } from './range.ts';
import { typeName } from './special.ts';
import { Undefined } from './undefined.ts';

/** The items of a list or tuple, in place. */
export function itemsOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  return value instanceof Tuple ? value.items : undefined;
}

export const isIterable = (value: unknown): boolean =>
  itemsOf(value) !== undefined ||
  isText(value) ||
  isMapping(value) ||
  value instanceof Range ||
  value instanceof Undefined;

/** What Python's `for` would go through: items, keys, characters. Lists are not copied. */
export function iterate(value: unknown, budget: Budget): readonly unknown[] {
  const items = itemsOf(value);
  if (items !== undefined) return items;
  if (isText(value)) {
    const text = textOf(value);
    budget.items(text.length);
    return codePoints(text);
  }
  if (value instanceof Range) {
    budget.items(value.length);
    return Array.from(value);
  }
  if (isMapping(value)) {
    budget.items(mappingSize(value));
    return mappingKeys(value);
  }
  if (value instanceof Undefined) {
    value.checkReadable();
    return [];
  }
  throw typeFault(`${typeName(value)} is not a list, a mapping or text: there is nothing to go through.`);
}

export function lengthOf(value: unknown): number {
  const items = itemsOf(value);
  if (items !== undefined) return items.length;
  if (isText(value)) return textLength(textOf(value));
  if (value instanceof Range) return value.length;
  if (isMapping(value)) return mappingSize(value);
  if (value instanceof Undefined) {
    value.checkReadable();
    return 0;
  }
  throw typeFault(`${typeName(value)} has no length.`);
}
