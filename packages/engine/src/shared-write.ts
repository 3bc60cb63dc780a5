import type { Json } from '@noetl/playbook';
import { isMap } from './is-map.ts';
import { jsonEqual } from './json-equal.ts';
import type { SharedContribution } from './pipeline/checkpoint.ts';
import { isTagged } from './result-reference.ts';
import { typeName } from './type-name.ts';

/**
 * ENG-9: `set_shared`. Contributions fold in the order of index and task, whatever order they arrive in; folding is
 * associative, so that those of an inner loop may be folded before they meet the others. The value that ctx had before
 * comes first, when the loop ends.
 */
export type SharedFolds = Readonly<Record<string, SharedFold>>;

interface SharedFold {
  readonly reduce: SharedContribution['reduce'];
  /** What stands behind a reference is a part of its own until it is loaded; so is a list until one as long follows. */
  readonly parts: readonly Json[];
  /** Two tasks contribute to the key with different reducers. */
  readonly mixed: boolean;
}

export const contribute = (folds: SharedFolds, contributions: readonly SharedContribution[]): SharedFolds =>
  contributions.reduce<SharedFolds>(
    (before, { key, reduce, value }) =>
      joinFolds(before, { [key]: { reduce, parts: [single(reduce, value)], mixed: false } }),
    folds,
  );

export function joinFolds(before: SharedFolds, after: SharedFolds): SharedFolds {
  const joined: Record<string, SharedFold> = { ...before };
  for (const [key, fold] of Object.entries(after)) {
    const earlier = Object.hasOwn(before, key) ? before[key] : undefined;
    joined[key] = earlier === undefined ? fold : joinFold(earlier, fold);
  }
  return joined;
}

function joinFold(before: SharedFold, after: SharedFold): SharedFold {
  if (before.mixed || after.mixed || before.reduce !== after.reduce) return { ...before, mixed: true };
  return { ...before, parts: joinParts(before.reduce, before.parts, after.parts) };
}

function joinParts(reduce: SharedContribution['reduce'], before: readonly Json[], after: readonly Json[]) {
  const parts = [...before];
  for (let part of after) {
    for (let last = parts.at(-1); last !== undefined && isJoined(last, part); last = parts.at(-1)) {
      part = combine(reduce, last, part);
      parts.pop();
    }
    parts.push(part);
  }
  return parts;
}

/** A long list is not copied for every item: only parts of like size are joined, so that few are left and each is copied seldom. */
const isJoined = (before: Json, after: Json): boolean =>
  !isTagged(before) && !isTagged(after) && sizeOf(before) <= sizeOf(after);

const sizeOf = (part: Json): number => (Array.isArray(part) ? part.length : isMap(part) ? Object.keys(part).length : 1);

/** What the reducer needs instead of the value; undefined if it fits. */
export function misfit(reduce: SharedContribution['reduce'], value: Json | undefined): string | undefined {
  if (reduce === 'sum') return typeof value === 'number' ? undefined : 'a number';
  if (reduce === 'min' || reduce === 'max') {
    return typeof value === 'number' || typeof value === 'string' ? undefined : 'a number or text';
  }
  if (reduce === 'merge') return isMap(value) ? undefined : 'a mapping';
  return undefined;
}

/** What ctx holds afterwards, or why it cannot. Parts and prior value are loaded. */
export function settleFold(
  key: string,
  { reduce, parts, mixed }: SharedFold,
  prior: Json,
): { readonly value: Json } | { readonly problem: string } {
  if (mixed) return { problem: `ctx.${key} is written by set_shared with different reducers.` };
  const value = parts
    .map((part) => (reduce === 'union' ? single(reduce, part) : part))
    .reduce((before, after) => combine(reduce, before, after));
  if (prior === null && !isOverflow(reduce, value)) return { value };
  const expected = priorMisfit(reduce, value, prior);
  if (expected === undefined) {
    const settled = combine(reduce, prior, value);
    return isOverflow(reduce, settled)
      ? { problem: `the sum of ctx.${key} is too large for a number.` }
      : { value: settled };
  }
  return { problem: `set_shared with '${reduce}' needs ${expected} in ctx.${key}, which holds ${typeName(prior)}.` };
}

function priorMisfit(reduce: SharedContribution['reduce'], value: Json, prior: Json): string | undefined {
  if (reduce === 'append' || reduce === 'union') return Array.isArray(prior) ? undefined : 'a list';
  if (reduce === 'count' || reduce === 'sum')
    return typeof prior === 'number' || prior === null ? undefined : 'a number';
  if (reduce === 'merge') return isMap(prior) ? undefined : 'a mapping';
  return typeof prior === typeof value ? undefined : typeName(value);
}

/** One contribution as a fold of its own; a list is appended by its reference, but united item by item. */
function single(reduce: SharedContribution['reduce'], value: Json): Json {
  if (reduce === 'count') return 1;
  if (reduce === 'append') return [value];
  if (reduce === 'union' && !isTagged(value)) return union([], Array.isArray(value) ? value : [value]);
  return value;
}

/** Total: values that do not fit were refused where they were contributed, and the later one wins. */
function combine(reduce: SharedContribution['reduce'], before: Json, after: Json): Json {
  switch (reduce) {
    case 'sum':
    case 'count':
      return finite(Number(before) + Number(after));
    case 'min':
      return less(after, before) ? after : before;
    case 'max':
      return less(before, after) ? after : before;
    case 'append':
      return Array.isArray(before) && Array.isArray(after) ? [...before, ...after] : after;
    case 'union':
      return Array.isArray(before) && Array.isArray(after) ? union(before, after) : after;
    case 'merge':
      return isMap(before) && isMap(after) ? { ...before, ...after } : after;
  }
}

function union(before: readonly Json[], after: readonly Json[]): Json {
  const all = [...before];
  const scalars = new Set<Json>(before.filter((item) => typeof item !== 'object' || item === null));
  for (const item of after) {
    const scalar = typeof item !== 'object' || item === null;
    if (scalar ? scalars.has(item) : all.some((known) => jsonEqual(known, item))) continue;
    all.push(item);
    if (scalar) scalars.add(item);
  }
  return all;
}

/** A sum that no number can hold: state is JSON, so it is a word. */
const OVERFLOW = 'Infinity';

const finite = (sum: number): Json => (Number.isFinite(sum) ? sum : OVERFLOW);

const isOverflow = (reduce: SharedContribution['reduce'], value: Json): boolean =>
  reduce === 'sum' && value === OVERFLOW;

/** Numbers before text, so that the order is total. */
const less = (a: Json, b: Json): boolean =>
  typeof a === typeof b ? (a as number) < (b as number) : typeof a === 'number';
