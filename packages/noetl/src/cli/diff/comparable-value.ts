import { isTagged, type ResultManifest, type ResultReference, TAG } from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';

/**
 * A value without what differs from one execution to the next though the same happened: ids of the execution and of its
 * children, when a signal came, the headers of an http answer, where a result is stored, what the file of a traceback was
 * called. What did not change is not copied.
 */
export function comparableValue(value: Json, execution: string): Json {
  if (typeof value === 'string') return value.includes(execution) ? value.replaceAll(idOf(execution), SELF) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return comparableList(value, execution);
  return isTagged(value) ? comparableTag(value) : comparableMap(value as JsonMap, execution);
}

/** Stands for the id of the execution itself. */
const SELF = '(execution)';

/** The id as a word of its own, also where it begins that of a child. */
const idOf = (execution: string): RegExp =>
  new RegExp(`(?<![\\w-])${execution.replaceAll(/[^\w]/g, '\\$&')}(?!\\w)`, 'g');

function comparableList(list: readonly Json[], execution: string): Json {
  let copy: Json[] | undefined;
  for (const [at, item] of list.entries()) {
    const comparable = comparableValue(item, execution);
    if (comparable === item) continue;
    copy ??= [...list];
    copy[at] = comparable;
  }
  return copy ?? list;
}

function comparableMap(given: JsonMap, execution: string): Json {
  const map = withoutFiles(given);
  const volatile = volatileKey(map);
  let changed = volatile !== undefined;
  const entries: [string, Json][] = [];
  for (const [key, item] of Object.entries(map)) {
    if (key === volatile) continue;
    const comparable = comparableValue(item, execution);
    changed ||= comparable !== item;
    entries.push([key, comparable]);
  }
  return changed ? Object.fromEntries(entries) : map;
}

/** A playbook has another name when it comes from the catalog, and so have the places in errors of its code. */
function withoutFiles(map: JsonMap): JsonMap {
  const { message, details } = map;
  if (typeof message !== 'string' || typeof details !== 'object' || details === null) return map;
  const { traceback } = details as JsonMap;
  if (!Array.isArray(traceback)) return map;
  const files = traceback.flatMap((place) => (isPlace(place) ? [place.file] : []));
  return {
    ...map,
    message: files.reduce((text, file) => text.replaceAll(file, FILE), message),
    details: { ...details, traceback: traceback.map((place) => (isPlace(place) ? { ...place, file: FILE } : place)) },
  };
}

const FILE = '(file)';

const isPlace = (place: Json): place is JsonMap & { readonly file: string } =>
  typeof place === 'object' && place !== null && 'file' in place && typeof place.file === 'string' && place.file !== '';

/** Known by their shape: `{status, headers, data}` is an http answer, `{payload, by, at}` what a wait came to. */
function volatileKey(map: JsonMap): 'headers' | 'at' | undefined {
  const has = (key: string): boolean => Object.hasOwn(map, key);
  if (Object.keys(map).length !== 3) return undefined;
  if (has('status') && has('headers') && has('data')) return 'headers';
  return has('payload') && has('by') && has('at') ? 'at' : undefined;
}

/** Of a reference what it stands for; the items of a manifest are compared one by one where they come from. */
function comparableTag(tagged: ResultReference | ResultManifest): Json {
  if (tagged[TAG] === 'manifest') {
    const { total, ok, failed } = tagged as ResultManifest;
    return { [TAG]: 'manifest', total, ok, failed };
  }
  const { checksum, size, schema_hint } = tagged as ResultReference;
  return { [TAG]: 'reference', checksum, size, schema_hint };
}
