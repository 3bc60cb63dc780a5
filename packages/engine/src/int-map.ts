/**
 * A persistent map from whole numbers from 0 to 2^30: changing it gives a new map that shares all but a few small arrays with the
 * old one, so that a state of many runs and iterations costs the same to change as one of few.
 */
export interface IntMap<V> {
  readonly size: number;
  /** Levels of branches below the root; the leaves hold values. */
  readonly depth: number;
  readonly root: Branch<V>;
}

/** A slot is a branch on every level but the lowest, where it is a value. */
type Slot<V> = Branch<V> | Leaf<V> | undefined;
type Branch<V> = readonly Slot<V>[];
interface Leaf<V> {
  readonly value: V;
}

const BITS = 5;
const WIDTH = 1 << BITS;

export const emptyIntMap: IntMap<never> = { size: 0, depth: 0, root: [] };

export function getInt<V>({ root, depth }: IntMap<V>, key: number): V | undefined {
  if (!(key >= 0) || !fits(key, depth)) return undefined;
  let slot: Slot<V> = root;
  for (let level = depth; level >= 0; level--) {
    if (slot === undefined) return undefined;
    slot = (slot as Branch<V>)[slotOf(key, level)];
  }
  return (slot as Leaf<V> | undefined)?.value;
}

export function setInt<V>(map: IntMap<V>, key: number, value: V): IntMap<V> {
  // A key that no map can have changes nothing, so that folding a damaged log comes to an end.
  if (!Number.isInteger(key) || key < 0 || key >= 2 ** 30) return map;
  let { root, depth } = map;
  for (; !fits(key, depth); depth++) root = root.length === 0 ? [] : [root];
  const size = getInt(map, key) === undefined ? map.size + 1 : map.size;
  return { size, depth, root: placed(root, depth, key, { value }) };
}

export function removeInt<V>(map: IntMap<V>, key: number): IntMap<V> {
  if (getInt(map, key) === undefined) return map;
  if (map.size === 1) return emptyIntMap;
  return { ...map, size: map.size - 1, root: placed(map.root, map.depth, key, undefined) };
}

/** The entry with the smallest key. */
export function firstInt<V>(map: IntMap<V>): readonly [number, V] | undefined {
  for (const entry of intEntries(map)) return entry;
  return undefined;
}

/** In ascending order of keys. */
export function* intEntries<V>({ root, depth }: IntMap<V>): Generator<readonly [number, V]> {
  yield* entriesBelow(root, depth, 0);
}

export function intMapOf<V>(entries: Iterable<readonly [number, V]>): IntMap<V> {
  let map: IntMap<V> = emptyIntMap;
  for (const [key, value] of entries) map = setInt(map, key, value);
  return map;
}

function* entriesBelow<V>(branch: Branch<V>, level: number, base: number): Generator<readonly [number, V]> {
  for (let slot = 0; slot < branch.length; slot++) {
    const below = branch[slot];
    if (below === undefined) continue;
    const key = base * WIDTH + slot;
    if (level === 0) yield [key, (below as Leaf<V>).value];
    else yield* entriesBelow(below as Branch<V>, level - 1, key);
  }
}

/** The branch with the leaf put in, or taken out; empty when nothing is left of it. */
function placed<V>(branch: Branch<V>, level: number, key: number, leaf: Leaf<V> | undefined): Branch<V> {
  const slot = slotOf(key, level);
  const next = branch.slice();
  while (next.length < slot) next.push(undefined);
  const below = level === 0 ? leaf : placed((branch[slot] as Branch<V> | undefined) ?? [], level - 1, key, leaf);
  next[slot] = Array.isArray(below) && below.length === 0 ? undefined : below;
  while (next.length > 0 && next[next.length - 1] === undefined) next.pop();
  return next;
}

/** Keys are below 2^30, so that shifts do for powers. */
const fits = (key: number, depth: number): boolean => key >>> (BITS * (depth + 1)) === 0;

const slotOf = (key: number, level: number): number => (key >>> (BITS * level)) & (WIDTH - 1);
