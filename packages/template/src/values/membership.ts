import type { Budget } from '../budget.ts';
import { typeFault } from '../template-error.ts';
import { hashOf } from './dict.ts';
import { isEqual, isNumber, plain } from './equality.ts';
import { isMapping, mappingHas } from './mapping.ts';
import { isText, textOf } from './markup.ts';
import { Range } from './range.ts';
import { itemsOf } from './sequence.ts';
import { typeName } from './special.ts';
import { Undefined } from './undefined.ts';

/** Python's `needle in haystack`. */
export function contains(haystack: unknown, needle: unknown, budget: Budget): boolean {
  const items = itemsOf(haystack);
  if (items !== undefined) {
    budget.step(items.length);
    for (const item of items) if (item === needle || isEqual(item, needle, budget)) return true;
    return false;
  }
  if (isText(haystack)) {
    if (isText(needle)) {
      budget.read(textOf(haystack).length);
      return textOf(haystack).includes(textOf(needle));
    }
    if (needle instanceof Undefined) throw needle.fault();
    throw typeFault(`only text can be in text, not ${typeName(needle)}.`, 'Convert it with | string.');
  }
  if (haystack instanceof Range) {
    if (isNumber(needle)) return haystack.includes(Number(plain(needle)));
    // No number equals anything else; but comparing may be refused.
    return haystack.length > 0 && isEqual(haystack.at(0), needle, budget);
  }
  if (isMapping(haystack)) {
    hashOf(needle);
    return mappingHas(haystack, isText(needle) ? textOf(needle) : needle);
  }
  if (haystack instanceof Undefined) {
    haystack.checkReadable();
    return false;
  }
  throw typeFault(`${typeName(haystack)} holds nothing that could be looked for with 'in'.`);
}
