import { isTagged } from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';

/** A place inside two values that differs; undefined where one has nothing there. */
export interface ValueDifference {
  /** `outcome.result.rows[3]`; empty for the values themselves. */
  readonly path: string;
  readonly a: Json | undefined;
  readonly b: Json | undefined;
}

/** The first places at which two values differ, at most so many. */
export function valueDifferences(a: Json | undefined, b: Json | undefined, most: number): readonly ValueDifference[] {
  const found: ValueDifference[] = [];
  compare(a, b, '', found, most);
  return found;
}

function compare(a: Json | undefined, b: Json | undefined, path: string, found: ValueDifference[], most: number): void {
  if (found.length >= most || Object.is(a, b)) return;
  if (isPlainMap(a) && isPlainMap(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      compare(own(a, key), own(b, key), path === '' ? key : `${path}.${key}`, found, most);
    }
  } else if (Array.isArray(a) && Array.isArray(b)) {
    for (let at = 0; at < Math.max(a.length, b.length) && found.length < most; at++) {
      compare(a[at], b[at], `${path}[${at}]`, found, most);
    }
  } else found.push({ path, a, b });
}

/** A reference is a value of its own. */
const isPlainMap = (value: Json | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isTagged(value);

const own = (map: JsonMap, key: string): Json | undefined => (Object.hasOwn(map, key) ? map[key] : undefined);
