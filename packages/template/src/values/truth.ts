import { Float } from './float.ts';
import { Tuple } from './list.ts';
import { isMapping, mappingSize } from './mapping.ts';
import { Markup } from './markup.ts';
import { Range } from './range.ts';
import { Undefined } from './undefined.ts';

/** Python's truth: empty containers and text, zero, none and undefined are false. */
export function isTrue(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'object') {
    // Python's nan is true.
    return typeof value === 'number' ? value !== 0 : Boolean(value) && typeof value !== 'function';
  }
  if (value === null) return false;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Markup) return value.text !== '';
  if (value instanceof Tuple) return value.items.length > 0;
  if (value instanceof Range) return value.length > 0;
  if (value instanceof Undefined) {
    value.checkComparable();
    return false;
  }
  return isMapping(value) ? mappingSize(value) > 0 : true;
}
