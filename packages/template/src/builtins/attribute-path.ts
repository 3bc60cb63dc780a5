import type { Run } from '../evaluation/run.ts';
import { typeFault } from '../template-error.ts';
import { getItem } from '../values/access.ts';
import { isInteger } from '../values/integer.ts';
import { isText, textOf } from '../values/markup.ts';
import { typeName } from '../values/special.ts';
import { toText } from '../values/text.ts';
import { Undefined } from '../values/undefined.ts';

/** Reads `attribute='a.b.0'` from each item, as `map`, `sort`, `groupby` and others do. */
export function attributeGetter(run: Run, attribute: unknown, fallback?: unknown): (item: unknown) => unknown {
  const path = attributePath(attribute);
  const shown = isText(attribute) || isInteger(attribute) ? toText(attribute, run.budget) : '';
  return (item) => {
    let value = item;
    for (const part of path) {
      value = getItem(run, value, part, shown);
      if (value instanceof Undefined && fallback !== undefined && fallback !== null) value = fallback;
    }
    return value;
  };
}

/** Several attributes, `'a,b.c'`: the values as a list, which orders by the first, then the second. */
export function attributeListGetter(run: Run, attribute: unknown): (item: unknown) => readonly unknown[] {
  const parts = isText(attribute) ? textOf(attribute).split(',') : [attribute];
  const getters = parts.map((part) => attributeGetter(run, part));
  return (item) => getters.map((get) => get(item));
}

function attributePath(attribute: unknown): readonly unknown[] {
  if (attribute === null || attribute === undefined) return [];
  if (isInteger(attribute)) return [attribute];
  if (!isText(attribute)) throw typeFault(`an attribute is a name or a number, not ${typeName(attribute)}.`);
  return textOf(attribute)
    .split('.')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Text is compared without regard to case, as these filters do by default. */
export const ignoreCase = (value: unknown): unknown => (isText(value) ? textOf(value).toLowerCase() : value);
