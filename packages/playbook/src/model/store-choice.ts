import type { Json } from './json.ts';
import type { Layer } from './playbook.ts';
import { STORE_FIELDS, STORES } from './vocabulary.ts';

/**
 * RES-1: where `spec.result.store` wants large results, as references name it: the kind, or `kind/place` where the place is
 * not the usual one. Undefined if nothing is said.
 */
export function chosenStore(spec: Layer): string | undefined {
  const result = spec.result;
  const store = isMap(result) ? result.store : undefined;
  if (!isMap(store)) return typeof store === 'string' ? store : undefined;
  const kind = STORES.find((known) => known === store.kind);
  if (kind === undefined) return undefined;
  // A layer outside may have said something for another kind.
  const places = STORE_FIELDS[kind].map((field) => store[field]).filter((place) => typeof place === 'string');
  return [kind, ...places].join('/');
}

const isMap = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
