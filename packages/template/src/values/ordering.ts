import type { Budget } from '../budget.ts';
import { limitFault, typeFault } from '../template-error.ts';
import { compareText } from './code-points.ts';
import { isEqual, isNumber, plain } from './equality.ts';
import { Tuple } from './list.ts';
import { isText, textOf } from './markup.ts';
import { kindOf, typeName } from './special.ts';
import { Undefined } from './undefined.ts';

/** Python's order: negative, 0 or positive; NaN if unordered (a float nan). Mixed types are an error. */
export function compare(a: unknown, b: unknown, budget: Budget, depth = 0): number {
  if (typeof a === 'number' && typeof b === 'number') return a === b ? 0 : a - b > 0 ? 1 : a < b ? -1 : Number.NaN;
  if (isText(a) && isText(b)) {
    budget.read(Math.min(textOf(a).length, textOf(b).length));
    return compareText(textOf(a), textOf(b));
  }
  if (isNumber(a) && isNumber(b)) {
    const left = plain(a);
    const right = plain(b);
    if (left < right) return -1;
    if (left > right) return 1;
    return Number.isNaN(left) || Number.isNaN(right) ? Number.NaN : 0;
  }
  if (Array.isArray(a) && Array.isArray(b)) return compareItems(a, b, budget, depth);
  if (a instanceof Tuple && b instanceof Tuple) return compareItems(a.items, b.items, budget, depth);
  if (a instanceof Undefined) throw a.fault();
  if (b instanceof Undefined) throw b.fault();
  const hint =
    (isText(a) && isNumber(b)) || (isNumber(a) && isText(b))
      ? 'Turn the text into a number with | int or | float.'
      : undefined;
  const noun = kindOf(a) === kindOf(b) ? `two values that are ${typeName(a)}` : `${typeName(a)} with ${typeName(b)}`;
  throw typeFault(`cannot order ${noun}.`, hint);
}

function compareItems(a: readonly unknown[], b: readonly unknown[], budget: Budget, depth: number): number {
  if (depth > budget.limits.nesting) throw limitFault('these values are nested too deeply to order.');
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    budget.step();
    if (!isEqual(a[i], b[i], budget)) return compare(a[i], b[i], budget, depth + 1);
  }
  return a.length - b.length;
}
