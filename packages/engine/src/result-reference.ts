import type { Json, JsonMap } from '@noetl/playbook';

/**
 * RES-1: what stands in events and state for a value that is kept elsewhere. The tag is reserved: data of users that has
 * the key is escaped on its way in, so that nothing but the program can write a reference.
 */
export const TAG = '$noetl';

/** A value in a result store. */
export interface ResultReference extends JsonMap {
  readonly [TAG]: 'reference';
  readonly store: string;
  readonly key: string;
  readonly checksum: string;
  readonly size: number;
  readonly schema_hint: string;
}

/** The results of a loop that are too many for an event: a list whose items are the results in the iterations' events. */
export interface ResultManifest extends JsonMap {
  readonly [TAG]: 'manifest';
  readonly total: number;
  readonly ok: number;
  readonly failed: number;
  readonly sources: readonly ManifestSource[];
}

/** The log that holds iterations: that of the execution, and of each it was forked from up to the fork. */
export interface ManifestSource extends JsonMap {
  readonly execution_id: string;
  /** The loop: a step run, or an iteration of an outer loop. */
  readonly loop: string;
  /** The last position that counts; null for all. */
  readonly until: number | null;
}

export type Tagged = ResultReference | ResultManifest;

export const isTagged = (value: Json | undefined): value is Tagged =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, TAG);

/** Under which a loaded value is handed in. */
export const tagKey = (tagged: Tagged): string =>
  tagged[TAG] === 'reference'
    ? `${(tagged as ResultReference).store}:${(tagged as ResultReference).key}`
    : JSON.stringify((tagged as ResultManifest).sources);

const ESCAPED = /^\$+noetl$/;

/** Data of users as it may be stored: each key that looks like the tag, escaped or not, gets one more `$`. */
export function escapeTags(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(escapeTags);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const entries = Object.entries(value).map(([key, item]) => [ESCAPED.test(key) ? `$${key}` : key, escapeTags(item)]);
  const same = entries.every(([key, item]) => (value as JsonMap)[key as string] === item);
  return same ? value : Object.fromEntries(entries);
}

/** The inverse of `escapeTags`. */
export function unescapeTags(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(unescapeTags);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [ESCAPED.test(key) ? key.slice(1) : key, unescapeTags(item)]),
  );
}
