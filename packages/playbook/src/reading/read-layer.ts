import { KINDS } from '../kinds/kinds.ts';
import type { Layer } from '../model/playbook.ts';
import {
  INHERITED_SPEC_KEYS,
  LIMIT_KEYS,
  RESULT_KEYS,
  STORE_FIELDS,
  STORE_PLACES,
  STORES,
  TIMEOUT_KEYS,
} from '../model/vocabulary.ts';
import type { MapNode, YamlNode } from '../yaml/node.ts';
import { OLDER_SPEC_KEYS } from './older-keys.ts';
import { describe, isTemplateText, type Reading, type Replacements, WRITE_OUT } from './reading.ts';

/** The scope's own keys stay with it; the rest is a layer that inner scopes merge over. */
export function readLayer(
  spec: MapNode | undefined,
  what: string,
  own: readonly string[],
  reading: Reading,
  replaced: Replacements = OLDER_SPEC_KEYS,
): Layer {
  if (spec === undefined) return {};
  reading.keys(spec, what, [...own, ...INHERITED_SPEC_KEYS, ...KINDS], replaced);
  const layer: Record<string, Layer[string]> = {};
  for (const { key, value } of spec.entries) {
    if (!isPlain(key) && !KINDS.includes(key)) continue;
    const check = CHECKS.get(key) ?? checkKindLayer;
    // What is wrong in itself is said once.
    const { sound } = reading.judged(() => check(value, `${what}.${key}`, reading));
    if (sound) layer[key] = reading.fixed(value, `${what}.${key}`);
  }
  return layer;
}

const isPlain = (key: string): boolean => (INHERITED_SPEC_KEYS as readonly string[]).includes(key);

function checkKindLayer(node: YamlNode, what: string, reading: Reading): void {
  const map = reading.map(node, what);
  if (map !== undefined) readLayer(withoutKinds(map, what, reading), what, [], reading);
}

function withoutKinds(map: MapNode, what: string, reading: Reading): MapNode {
  reading.keys(map, what, INHERITED_SPEC_KEYS);
  return { ...map, entries: map.entries.filter(({ key }) => isPlain(key)) };
}

/** MiB of memory and seconds of CPU time for code. */
function checkLimits(node: YamlNode, what: string, reading: Reading): void {
  const map = reading.map(node, what);
  if (map === undefined) return;
  reading.keys(map, what, LIMIT_KEYS);
  for (const { key, value } of map.entries) {
    if (key === 'cpu') seconds(value, `${what}.${key}`, reading);
    else amount(value, `${what}.${key}`, reading, 'a number of MiB above 0', 'For example: 512.');
  }
}

/** Seconds for one attempt, or `{connect, read}`. */
function checkTimeout(node: YamlNode, what: string, reading: Reading): void {
  if (node.kind !== 'map') {
    seconds(node, what, reading);
    return;
  }
  reading.keys(node, what, TIMEOUT_KEYS);
  for (const { key, value } of node.entries) seconds(value, `${what}.${key}`, reading);
}

export function seconds(node: YamlNode, what: string, reading: Reading): number | undefined {
  return amount(node, what, reading, 'a number of seconds above 0', 'For example: 30 or 0.5.');
}

function amount(node: YamlNode, what: string, reading: Reading, expected: string, example: string): number | undefined {
  const value = node.kind === 'scalar' ? node.value : undefined;
  if (typeof value === 'number' && value > 0) return value;
  const message = `${what} is ${describe(node)}, expected ${expected}`;
  reading.problems.error('NOETL_VALUE', node.span, message, isTemplateText(node) ? WRITE_OUT : example);
  return undefined;
}

/** `result: { store: name }` or `{ store: { kind, … } }` (RES-1). */
function checkResult(node: YamlNode, what: string, reading: Reading): void {
  const map = reading.map(node, what);
  if (map === undefined) return;
  reading.keys(map, what, RESULT_KEYS);
  const store = map.entries.find(({ key }) => key === 'store')?.value;
  if (store === undefined) return;
  if (store.kind !== 'map') {
    reading.oneOf(store, `${what}.store`, STORES);
    return;
  }
  const kind = reading.required(store, 'kind', `${what}.store`, `Stores are: ${STORES.join(', ')}.`);
  const known = kind === undefined ? undefined : reading.oneOf(kind.value, `${what}.store.kind`, STORES);
  if (known === undefined) return;
  reading.keys(store, `${what}.store of kind ${known}`, ['kind', ...STORE_FIELDS[known]]);
  for (const field of STORE_FIELDS[known]) {
    const place = store.entries.find(({ key }) => key === field)?.value;
    if (place !== undefined) checkStorePlace(place, field, `${what}.store.${field}`, reading);
  }
}

function checkStorePlace(node: YamlNode, field: keyof typeof STORE_PLACES, what: string, reading: Reading): void {
  const { pattern, expected } = STORE_PLACES[field];
  if (node.kind === 'scalar' && typeof node.value === 'string' && new RegExp(pattern).test(node.value)) return;
  const hint = isTemplateText(node) ? WRITE_OUT : 'Give it another name.';
  reading.problems.error('NOETL_VALUE', node.span, `${what} is ${describe(node)}, expected ${expected}`, hint);
}

const CHECKS: ReadonlyMap<string, (node: YamlNode, what: string, reading: Reading) => void> = new Map([
  ['timeout', checkTimeout],
  ['limits', checkLimits],
  ['result', checkResult],
]);
