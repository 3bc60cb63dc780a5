import { Dict } from './dict.ts';
import { kindOf } from './special.ts';

/** A template's own mapping, or an object of the caller of which only own properties exist. */
export type Mapping = Dict | Readonly<Record<string, unknown>>;

export const isMapping = (value: unknown): value is Mapping => kindOf(value) === 'dict';

/** Functions and symbols of the caller are invisible. */
export const visible = (value: unknown): unknown =>
  typeof value === 'function' || typeof value === 'symbol' ? undefined : value;

/** The value under a key; undefined if there is none. */
export function mappingGet(mapping: Mapping, key: unknown): unknown {
  if (mapping instanceof Dict) return mapping.get(key);
  return typeof key === 'string' && Object.hasOwn(mapping, key) ? visible(mapping[key]) : undefined;
}

export function mappingHas(mapping: Mapping, key: unknown): boolean {
  if (mapping instanceof Dict) return mapping.has(key);
  return typeof key === 'string' && Object.hasOwn(mapping, key) && visible(mapping[key]) !== undefined;
}

export function mappingKeys(mapping: Mapping): unknown[] {
  if (mapping instanceof Dict) return Array.from(mapping.entries(), (entry) => entry.key);
  return Object.keys(mapping).filter((key) => visible(mapping[key]) !== undefined);
}

export function mappingEntries(mapping: Mapping): { readonly key: unknown; readonly value: unknown }[] {
  if (mapping instanceof Dict) return Array.from(mapping.entries());
  return mappingKeys(mapping).map((key) => ({ key, value: mapping[key as string] }));
}

export const mappingSize = (mapping: Mapping): number =>
  mapping instanceof Dict ? mapping.size : mappingKeys(mapping).length;
