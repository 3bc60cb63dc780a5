import { KINDS } from '../kinds/kinds.ts';
import type { Layer } from '../model/playbook.ts';
import { INHERITED_SPEC_KEYS, RESULT_KEYS, STORE_KEYS, STORES, TIMEOUT_KEYS } from '../model/vocabulary.ts';
import type { MapNode, YamlNode } from '../yaml/node.ts';
import { describe, type Reading, type Replacements } from './reading.ts';

const REPLACED: Replacements = {
  next_mode: { code: 'NOETL_LEGACY', hint: 'The mode of routing is next.spec.mode; noetl migrate rewrites it.' },
};

/** The scope's own keys stay with it; the rest is a layer that inner scopes merge over. */
export function readLayer(spec: MapNode | undefined, what: string, own: readonly string[], reading: Reading): Layer {
  if (spec === undefined) return {};
  reading.keys(spec, what, [...own, ...INHERITED_SPEC_KEYS, ...KINDS], REPLACED);
  const layer: Record<string, Layer[string]> = {};
  for (const { key, value } of spec.entries) {
    if (key === 'timeout') checkTimeout(value, `${what}.timeout`, reading);
    else if (key === 'result') checkResult(value, `${what}.result`, reading);
    else if (KINDS.includes(key)) checkKindLayer(value, `${what}.${key}`, reading);
    else continue;
    layer[key] = reading.fixed(value, `${what}.${key}`);
  }
  return layer;
}

function checkKindLayer(node: YamlNode, what: string, reading: Reading): void {
  const map = reading.map(node, what);
  if (map !== undefined) readLayer(withoutKinds(map, what, reading), what, [], reading);
}

function withoutKinds(map: MapNode, what: string, reading: Reading): MapNode {
  reading.keys(map, what, INHERITED_SPEC_KEYS);
  return { ...map, entries: map.entries.filter(({ key }) => (INHERITED_SPEC_KEYS as readonly string[]).includes(key)) };
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
  const value = node.kind === 'scalar' ? node.value : undefined;
  if (typeof value === 'number' && value > 0) return value;
  reading.problems.error(
    'NOETL_VALUE',
    node.span,
    `${what} is ${describe(node)}, expected a number of seconds above 0`,
  );
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
    reading.text(store, `${what}.store`);
    return;
  }
  reading.keys(store, `${what}.store`, STORE_KEYS);
  const kind = reading.required(store, 'kind', `${what}.store`);
  if (kind !== undefined) reading.oneOf(kind.value, `${what}.store.kind`, STORES);
  for (const { key, value } of store.entries) if (key !== 'kind') reading.text(value, `${what}.store.${key}`);
}
