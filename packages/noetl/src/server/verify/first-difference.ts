import type { Json } from '@noetl/playbook';

/** Where two values begin to differ, as a path such as `runs[0].step`, and what each has there. */
export interface ValueDifference {
  readonly path: string;
  readonly expected: Json | undefined;
  readonly found: Json | undefined;
}

/** The first difference in the order of the expected value; undefined if there is none. Keys in another order are one. */
export function firstDifference(
  expected: Json | undefined,
  found: Json | undefined,
  path = '',
): ValueDifference | undefined {
  if (!isContainer(expected) || !isContainer(found) || Array.isArray(expected) !== Array.isArray(found)) {
    return Object.is(expected, found) ? undefined : { path, expected, found };
  }
  const list = Array.isArray(expected);
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const below = list ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    const difference = firstDifference(expected[key], found[key], below);
    if (difference !== undefined) return difference;
  }
  const [one, other] = [Object.keys(expected), Object.keys(found)];
  return one.some((key, nth) => key !== other[nth]) ? { path, expected: one, found: other } : undefined;
}

type Container = { readonly [key: string]: Json };

const isContainer = (value: Json | undefined): value is Container => typeof value === 'object' && value !== null;
