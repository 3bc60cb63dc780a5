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

const RESERVED = /^\$+noetl$/;

/** Data of users as it may be stored: each key that looks like the tag, escaped or not, gets one more `$`. */
export const escapeTags = (value: Json): Json => (holdsReserved(value) ? withKeys(value, storedKey) : value);

/** The inverse of `escapeTags`. A reference is not data of users, and stays. */
export const unescapeTags = (value: Json): Json => (holdsReserved(value) ? withKeys(value, usersKey, isTagged) : value);

/** The key under which users' data is stored. */
export const storedKey = (key: string): string => (RESERVED.test(key) ? `$${key}` : key);

/** The inverse of `storedKey`. */
export const usersKey = (key: string): string => (RESERVED.test(key) ? key.slice(1) : key);

function holdsReserved(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsReserved);
  for (const key of Object.keys(value)) {
    if (RESERVED.test(key) || holdsReserved((value as JsonMap)[key] ?? null)) return true;
  }
  return false;
}

function withKeys(value: Json, rename: (key: string) => string, stays: (value: Json) => boolean = () => false): Json {
  if (typeof value !== 'object' || value === null || stays(value)) return value;
  if (Array.isArray(value)) return value.map((item) => withKeys(item, rename, stays));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [rename(key), withKeys(item, rename, stays)]));
}

/** What of the program's own a value holds, as bits. */
const HOLDS_TAG = 1;
export const HOLDS_ESCAPED = 2;

/** Data never changes, so what a large object holds is found once. */
const marks = new WeakMap<object, number>();
/** Looking at so few entries that hold nothing deeper costs less than remembering. */
const FEW = 16;

export function marksOf(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  const known = marks.get(value);
  if (known !== undefined) return known;
  if (isTagged(value)) return HOLDS_TAG;
  let found = 0;
  let deep = false;
  let entries = 0;
  const look = (item: Json | undefined): void => {
    entries += 1;
    if (typeof item !== 'object' || item === null) return;
    deep = true;
    found |= marksOf(item);
  };
  if (Array.isArray(value)) value.forEach(look);
  else {
    for (const key of Object.keys(value)) {
      if (RESERVED.test(key)) found |= HOLDS_ESCAPED;
      look((value as JsonMap)[key]);
    }
  }
  if (deep || entries > FEW) marks.set(value, found);
  return found;
}

/** Whether a value stands for others, or holds any that does. */
export const holdsTag = (value: Json | undefined): boolean => (marksOf(value) & HOLDS_TAG) !== 0;
