import type { Json, JsonMap } from '@noetl/playbook';
import type { Reference } from '@noetl/template';
import {
  HOLDS_ESCAPED,
  holdsTag,
  isTagged,
  marksOf,
  storedKey,
  type Tagged,
  tagKey,
  unescapeTags,
} from '../result-reference.ts';
import { holderOf, type ScopeParts } from './template-scope.ts';

/** RES-2: a value behind a reference, as it was fetched. Missing or corrupt bytes are a problem that templates meet. */
export type Loaded = { readonly value: Json } | { readonly problem: string };
export type KnownValues = ReadonlyMap<string, Loaded>;

export const noKnownValues: KnownValues = new Map();

/** A template reads a value that cannot be had. */
export class UnreadableValue extends Error {
  override name = 'UnreadableValue';
}

/** The references that templates would read, found from their static paths (TPL-7) before any is evaluated. */
export function referencesRead(parts: ScopeParts, reads: readonly Reference[]): readonly Tagged[] {
  const found = new Map<string, Tagged>();
  const note = (tagged: Tagged): Json => {
    found.set(tagKey(tagged), tagged);
    return tagged;
  };
  for (const read of reads) resolveRead(parts, read, note);
  return [...found.values()];
}

/**
 * The parts as templates read them: every reference that is read is replaced by its value, and keys of users are as they
 * wrote them; what nobody reads is not touched.
 */
export function withKnownValues(parts: ScopeParts, reads: readonly Reference[], known: KnownValues): ScopeParts {
  const load = (tagged: Tagged): Json => {
    const loaded = known.get(tagKey(tagged));
    if (loaded === undefined) throw new UnreadableValue(`the value behind ${tagKey(tagged)} was not loaded.`);
    if ('problem' in loaded) throw new UnreadableValue(loaded.problem);
    return loaded.value;
  };
  return unescaped(
    reads.reduce<ScopeParts>((resolved, read) => resolveRead(resolved, read, load), parts),
    reads,
  );
}

function unescaped(parts: ScopeParts, reads: readonly Reference[]): ScopeParts {
  const holders = new Set<keyof ScopeParts>();
  for (const { name } of reads) {
    const holder = holderOf(parts, name);
    if (holder !== undefined && marksOf(parts[holder] as Json | undefined) & HOLDS_ESCAPED) holders.add(holder);
  }
  if (holders.size === 0) return parts;
  const plain = [...holders].map((holder) => [holder, unescapeTags(parts[holder] as Json)] as const);
  return { ...parts, ...Object.fromEntries(plain) };
}

function resolveRead(parts: ScopeParts, { name, path }: Reference, load: (tagged: Tagged) => Json): ScopeParts {
  const holder = holderOf(parts, name);
  if (holder === undefined) return parts;
  const value = parts[holder] as Json | undefined;
  const resolved = resolveAlong(value, holder === name ? path : [name, ...path], load);
  return resolved === value ? parts : { ...parts, [holder]: resolved };
}

/** Follows a path, loading references on the way, and everything below its end. */
function resolveAlong(
  value: Json | undefined,
  path: readonly (string | number)[],
  load: (tagged: Tagged) => Json,
): Json | undefined {
  if (value === undefined || !holdsTag(value)) return value;
  if (isTagged(value)) return load(value);
  const [key, ...rest] = path;
  if (key === undefined) return resolveBelow(value, load);
  if (Array.isArray(value)) {
    const index = typeof key === 'number' && key < 0 ? value.length + key : key;
    return value.map((item, at) => (at === index ? (resolveAlong(item, rest, load) ?? null) : item));
  }
  const map = value as JsonMap;
  const stored = typeof key === 'string' ? storedKey(key) : key;
  if (!Object.hasOwn(map, stored)) return value;
  return { ...map, [stored]: resolveAlong(map[stored], rest, load) ?? null };
}

function resolveBelow(value: Json, load: (tagged: Tagged) => Json): Json {
  if (!holdsTag(value)) return value;
  if (isTagged(value)) return load(value);
  if (Array.isArray(value)) return value.map((item) => resolveBelow(item, load));
  return Object.fromEntries(Object.entries(value as JsonMap).map(([key, item]) => [key, resolveBelow(item, load)]));
}
