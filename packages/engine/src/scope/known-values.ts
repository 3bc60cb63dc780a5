import type { Json, JsonMap } from '@noetl/playbook';
import type { Reference } from '@noetl/template';
import { isTagged, type Tagged, tagKey } from '../result-reference.ts';
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

/** The parts with every reference that is read replaced by its value; what nobody reads is not touched. */
export function withKnownValues(parts: ScopeParts, reads: readonly Reference[], known: KnownValues): ScopeParts {
  const load = (tagged: Tagged): Json => {
    const loaded = known.get(tagKey(tagged));
    if (loaded === undefined) throw new UnreadableValue(`the value behind ${tagKey(tagged)} was not loaded.`);
    if ('problem' in loaded) throw new UnreadableValue(loaded.problem);
    return loaded.value;
  };
  return reads.reduce<ScopeParts>((resolved, read) => resolveRead(resolved, read, load), parts);
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
  if (!Object.hasOwn(map, key)) return value;
  return { ...map, [key]: resolveAlong(map[key], rest, load) ?? null };
}

function resolveBelow(value: Json, load: (tagged: Tagged) => Json): Json {
  if (!holdsTag(value)) return value;
  if (isTagged(value)) return load(value);
  if (Array.isArray(value)) return value.map((item) => resolveBelow(item, load));
  return Object.fromEntries(Object.entries(value as JsonMap).map(([key, item]) => [key, resolveBelow(item, load)]));
}

/** Data never changes, so whether it holds a reference is found once per object. */
const verdicts = new WeakMap<object, boolean>();

function holdsTag(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const known = verdicts.get(value);
  if (known !== undefined) return known;
  const items: readonly Json[] = Array.isArray(value) ? value : Object.values(value);
  const verdict = isTagged(value) || items.some(holdsTag);
  verdicts.set(value, verdict);
  return verdict;
}
