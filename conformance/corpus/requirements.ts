import type { Json, JsonMap } from '@noetl/playbook';
import { parse } from 'yaml';
import type { CorpusPlaybook } from './corpus-playbook.ts';

/** What a playbook needs that this machine has: interpreters, databases, and the API that stands in for theirs. */
const SERVED = new Set(['python', 'duckdb', 'postgres', 'test-server', 'sub-playbook']);
const KINDS = new Set([
  'http',
  'postgres',
  'duckdb',
  'python',
  'playbook',
  'workbook',
  'noop',
  'iterator',
  'end',
  'start',
]);
/** The host of the API that the stand-in takes the place of. */
export const API_HOST = 'paginated-api.test-server.svc.cluster.local:5555';

/** Why a playbook cannot be run here; undefined if it can. Its children are named by what they are found with. */
type Hindrance = string | undefined;

/** A corpus by where playbooks are found. */
export interface Library {
  /** The playbook of the same folder with this path. */
  find(caller: CorpusPlaybook, path: string): CorpusPlaybook | undefined;
}

export function libraryOf(playbooks: readonly CorpusPlaybook[]): Library {
  const byPath = new Map(playbooks.map((playbook) => [`${playbook.group}\t${pathOf(documentOf(playbook))}`, playbook]));
  return { find: (caller, path) => byPath.get(`${caller.group}\t${path}`) };
}

/** The playbooks that it calls, and those that they call, without itself. */
export function childrenOf(playbook: CorpusPlaybook, library: Library): readonly CorpusPlaybook[] {
  const found = new Set<CorpusPlaybook>([playbook]);
  for (const caller of found) {
    for (const path of calledPaths(documentOf(caller))) {
      const child = library.find(caller, path);
      if (child !== undefined) found.add(child);
    }
  }
  found.delete(playbook);
  return [...found];
}

export function hindranceOf(playbook: CorpusPlaybook, library: Library): Hindrance {
  const own = ownHindrance(playbook, library);
  if (own !== undefined) return own;
  for (const child of childrenOf(playbook, library)) {
    const hindrance = ownHindrance(child, library);
    if (hindrance !== undefined) return `it calls ${child.name}: ${hindrance}`;
  }
  return undefined;
}

function ownHindrance(playbook: CorpusPlaybook, library: Library): Hindrance {
  const { kinds = [], needs = [] } = playbook.listed ?? {};
  const need = needs.find((name) => !SERVED.has(name));
  if (need !== undefined) return `it needs ${need}`;
  const kind = kinds.find((name) => !KINDS.has(name));
  if (kind !== undefined) return `it has tasks of kind ${kind}`;
  const document = documentOf(playbook);
  const missing = calledPaths(document).find((path) => library.find(playbook, path) === undefined);
  if (missing !== undefined) return `it calls '${missing}', which is not there`;
  const host = kinds.includes('http') ? hostsOf(document).find((name) => name !== API_HOST) : undefined;
  return host === undefined ? undefined : `it calls ${host}`;
}

const documents = new WeakMap<CorpusPlaybook, Json>();

export function documentOf(playbook: CorpusPlaybook): Json {
  const known = documents.get(playbook);
  if (known !== undefined) return known;
  const document: Json = parse(playbook.text, { uniqueKeys: false, logLevel: 'silent' });
  documents.set(playbook, document);
  return document;
}

export const fieldsOf = (value: Json | undefined): JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonMap) : {};

const pathOf = (document: Json): Json | undefined => {
  const { metadata, path, name } = fieldsOf(document);
  return fieldsOf(metadata).path ?? path ?? fieldsOf(metadata).name ?? name;
};

/** Paths of playbooks; a template is taken for the value of the workload that it names. */
function calledPaths(document: Json): readonly string[] {
  const { workload, workflow = null, workbook = null } = fieldsOf(document);
  return mapsIn([workflow, workbook])
    .filter(({ kind, tool, type }) => [kind, tool, type].includes('playbook'))
    .flatMap(({ path }) => (typeof path === 'string' ? [path] : []))
    .map((path) => {
      const named = /^\{\{\s*(?:workload\.)?(\w+)\s*\}\}$/.exec(path)?.[1];
      const value = named === undefined ? undefined : fieldsOf(workload)[named];
      return typeof value === 'string' ? value : path;
    });
}

/** Hosts that values name; code and descriptions may speak of others. */
function hostsOf(document: Json): readonly string[] {
  const texts = mapsIn([document]).flatMap((map) =>
    Object.entries(map).flatMap(([key, value]) =>
      typeof value === 'string' && !['code', 'desc', 'description'].includes(key) ? [value] : [],
    ),
  );
  return texts.flatMap((text) => [...text.matchAll(/https?:\/\/([\w.:-]+)/g)].map(([, host = '']) => host));
}

function mapsIn(value: Json | readonly Json[]): readonly JsonMap[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = (Array.isArray(value) ? value : Object.values(value)).flatMap(mapsIn);
  return Array.isArray(value) ? inner : [value as JsonMap, ...inner];
}
