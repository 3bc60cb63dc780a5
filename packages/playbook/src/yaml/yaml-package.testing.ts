import { inspect, isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { YamlNode } from './node.ts';
import { readYaml } from './read-yaml.ts';
import type { YamlErrorCode } from './yaml-error.ts';

/** The data of a node, without its places. */
export function dataOf(node: YamlNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(dataOf);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, dataOf(value)]));
}

/** What our reader refuses on purpose although it is YAML. */
const REFUSED_ON_PURPOSE: ReadonlySet<YamlErrorCode> = new Set([
  'NOETL_YAML_LIMIT',
  'NOETL_YAML_ENCODING',
  'NOETL_YAML_DUPLICATE_KEY',
  'NOETL_YAML_UNSUPPORTED',
  'NOETL_YAML_UNQUOTED_TEMPLATE',
  'NOETL_YAML_NUMBER',
]);

/** What we take although YAML asks for more layout: brackets at any column, blanks before a block of text. */
const TAKEN_ON_PURPOSE = /sufficiently indented|more-indented leading empty lines/;

export type Comparison =
  | { readonly verdict: 'same' | 'both refuse' | 'refused on purpose' | 'taken on purpose' }
  | { readonly verdict: 'different'; readonly ours: string; readonly theirs: string };

/** Reads `text` with our reader and with the npm package `yaml`. */
export function compareWithYamlPackage(text: string): Comparison {
  const ours = readYaml(text);
  if ('error' in ours && REFUSED_ON_PURPOSE.has(ours.error.code)) return { verdict: 'refused on purpose' };
  const theirs = parseWithYamlPackage(text);
  if ('error' in ours) {
    if ('error' in theirs) return { verdict: 'both refuse' };
    // A value that contains itself is no tree.
    if (inspect(theirs.data, { depth: null }).includes('[Circular')) return { verdict: 'refused on purpose' };
    return { verdict: 'different', ours: `refuses: ${ours.error.message}`, theirs: inspect(theirs.data) };
  }
  const data = dataOf(ours.node);
  if ('error' in theirs) {
    if (TAKEN_ON_PURPOSE.test(theirs.error)) return { verdict: 'taken on purpose' };
    return { verdict: 'different', ours: inspect(data), theirs: `refuses: ${theirs.error}` };
  }
  if (isDeepStrictEqual(data, theirs.data)) return { verdict: 'same' };
  return { verdict: 'different', ours: inspect(data), theirs: inspect(theirs.data) };
}

function parseWithYamlPackage(text: string): { readonly data: unknown } | { readonly error: string } {
  const documents = parseAllDocuments(text, { stringKeys: true, prettyErrors: false, logLevel: 'silent' });
  if (!Array.isArray(documents) || documents.length === 0) return { data: null };
  const [document] = documents;
  if (documents.length !== 1 || document === undefined) return { error: `${documents.length} documents` };
  const [error] = document.errors;
  if (error !== undefined) return { error: error.message };
  try {
    return { data: document.toJS({ maxAliasCount: -1 }) };
  } catch (unresolved) {
    return { error: String(unresolved) };
  }
}
