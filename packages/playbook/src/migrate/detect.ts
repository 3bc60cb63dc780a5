import { LineIndex } from '../diagnostics/line-index.ts';
import { type AskedCredential, askedCredentials } from './credentials/asked-credentials.ts';
import { DIALECTS, type Dialect } from './dialects.ts';
import type { DialectFound } from './migration.ts';
import { olderNames } from './names/older-names.ts';
import { map } from './tree/build.ts';
import { entryOf, fieldOf, mapsIn, textOf } from './tree/edit.ts';
import type { EntryTree, MapTree, Tree } from './tree/tree.ts';

/** What shows that a document speaks a dialect, with where it stands. */
interface Sign {
  readonly dialect: Dialect;
  readonly at: number;
  readonly what: string;
  /** Other dialects that have it, too: a document that speaks one of them needs no further dialect. */
  readonly also?: readonly Dialect[];
}

type Signs = Readonly<Record<string, Dialect>>;

const ROOT_SIGNS: Signs = { name: 'v1-004', path: 'v1-004', vars: 'case-003', tracing: 'case-003' };

const STEP_SIGNS: Signs = {
  when: 'eval-002',
  case: 'case-003',
  vars: 'case-003',
  sink: 'case-003',
  retry: 'case-003',
  args: 'case-003',
  type: 'v1-004',
  with: 'v1-004',
  end_loop: 'v1-004',
  input: 'public-names',
  output: 'public-names',
  set: 'public-names',
  set_ctx: 'public-names',
};

const LOOP_SIGNS: Signs = { mode: 'case-003', limit: 'v1-004', collection: 'tool-string', element: 'tool-string' };

/** Keys of tasks, and of the rules in them. */
const TASK_SIGNS: Signs = {
  eval: 'eval-002',
  set_vars: 'eval-002',
  set_prev: 'eval-002',
  input: 'public-names',
  set: 'public-names',
  output: 'public-names',
  output_select: 'public-names',
  endpoint: 'case-003',
  payload: 'case-003',
  credential: 'case-003',
  return_step: 'case-003',
  retry: 'case-003',
  sink: 'case-003',
  script: 'case-003',
  with: 'v1-004',
};

/** Keys whose value is data of the author's, not of the language. */
const DATA = new Set([
  'args',
  'input',
  'with',
  'params',
  'headers',
  'json',
  'body',
  'form',
  'data',
  'payload',
  'env',
  'set',
  'set_ctx',
  'set_iter',
  'set_vars',
  'result',
  'code',
  'libs',
  'auth',
  'rows',
  'files',
  'map',
  'resources',
  'tags',
  'in',
]);

/** MIG-1: the dialects of a document, each with what shows it; canonical alone where nothing older is found. */
export function detectDialects(root: MapTree, source: string): readonly DialectFound[] {
  const lines = new LineIndex(source);
  const steps = mapsIn(fieldOf(root, 'workflow'));
  const signs = attributed([
    ...rootSigns(root),
    ...steps.flatMap(stepSigns),
    ...askedCredentials(root).map(credentialSign),
    ...olderNames(root),
  ]);
  const found = DIALECTS.flatMap((dialect): readonly DialectFound[] => {
    const evidence = signs
      .filter((sign) => sign.dialect === dialect)
      .sort((a, b) => a.at - b.at)
      .map(({ at, what }) => ({ ...lines.place(at), what }));
    return evidence.length === 0 ? [] : [{ dialect, evidence }];
  });
  return found.length > 0 ? found : [{ dialect: 'v10', evidence: [] }];
}

/** What several dialects have shows one of those that the document speaks anyway. */
function attributed(signs: readonly Sign[]): readonly Sign[] {
  const certain = new Set(signs.flatMap(({ dialect, also }) => (also === undefined ? [dialect] : [])));
  return signs.map((sign) => {
    const other = certain.has(sign.dialect) ? undefined : sign.also?.find((dialect) => certain.has(dialect));
    return other === undefined ? sign : { ...sign, dialect: other };
  });
}

function rootSigns(root: MapTree): readonly Sign[] {
  const keys = keySigns(root, ROOT_SIGNS, (key) => `'${key}' stands at the root`);
  const api = entryOf(root, 'apiVersion');
  const old = textOf(api?.value) === 'noetl.io/v1' && api !== undefined;
  const version = entryOf(mapOf(fieldOf(root, 'executor')), 'version');
  const runtime = textOf(version?.value) === 'noetl-runtime/1' && version !== undefined;
  return [
    ...(old ? [{ dialect: 'v1-004' as const, at: api.at, what: "apiVersion is 'noetl.io/v1'" }] : []),
    ...(runtime
      ? [{ dialect: 'public-names' as const, at: version.at, what: "executor.version is 'noetl-runtime/1'" }]
      : []),
    ...keys,
    ...mapsIn(fieldOf(root, 'workbook')).flatMap(workbookSigns),
  ];
}

function workbookSigns(task: MapTree): readonly Sign[] {
  const form = entryOf(task, 'tool') ?? entryOf(task, 'type');
  if (form === undefined || entryOf(task, 'kind') !== undefined) return [];
  const what = `the task '${textOf(fieldOf(task, 'name')) ?? ''}' of the workbook has '${form.key}'`;
  return [{ dialect: form.key === 'type' ? 'v1-004' : 'case-003', at: form.at, what }];
}

function stepSigns(step: MapTree): readonly Sign[] {
  const name = textOf(fieldOf(step, 'step')) ?? '';
  const tool = entryOf(step, 'tool');
  const word = textOf(tool?.value);
  const mode = entryOf(mapOf(fieldOf(step, 'spec')), 'next_mode');
  return [
    ...keySigns(step, STEP_SIGNS, (key) => `the step '${name}' has '${key}'`),
    ...keySigns(mapOf(fieldOf(step, 'loop')), LOOP_SIGNS, (key) => `the loop of the step '${name}' has '${key}'`),
    ...(mode === undefined
      ? []
      : [{ dialect: 'eval-002' as const, at: mode.at, what: `the step '${name}' has spec.next_mode` }]),
    ...nextSigns(entryOf(step, 'next'), name),
    ...(tool === undefined || word === undefined
      ? []
      : [{ dialect: 'tool-string' as const, at: tool.at, what: `the step '${name}' has 'tool: ${word}'` }]),
    ...taskSigns(tool?.value, name),
  ];
}

const OLDER_LISTS: readonly Dialect[] = ['eval-002', 'v1-004', 'tool-string'];

/** A router is a mapping with arcs. */
function nextSigns(next: EntryTree | undefined, name: string): readonly Sign[] {
  if (next === undefined || next.value.kind === 'map') return [];
  const conditional = mapsIn(next.value).some(
    (part) => entryOf(part, 'then') !== undefined || entryOf(part, 'else') !== undefined,
  );
  if (conditional)
    return [{ dialect: 'v1-004', at: next.at, what: `'next' of the step '${name}' has 'then' or 'else'` }];
  const form = next.value.kind === 'list' ? 'a list' : 'a name';
  return [{ dialect: 'case-003', at: next.at, what: `'next' of the step '${name}' is ${form}`, also: OLDER_LISTS }];
}

function taskSigns(tool: Tree | undefined, name: string): readonly Sign[] {
  if (tool === undefined || tool.kind === 'scalar') return [];
  if (tool.kind === 'list') return tool.items.flatMap(({ value }) => taskSigns(value, name));
  const own = keySigns(tool, TASK_SIGNS, (key) => `a task of the step '${name}' has '${key}'`);
  const below = tool.entries.flatMap((part) => (DATA.has(part.key) ? [] : taskSigns(part.value, name)));
  return [...own, ...below];
}

function keySigns(tree: MapTree, signs: Signs, what: (key: string) => string): readonly Sign[] {
  return tree.entries.flatMap(({ key, at }): readonly Sign[] => {
    const dialect = Object.hasOwn(signs, key) ? signs[key] : undefined;
    return dialect === undefined ? [] : [{ dialect, at, what: what(key) }];
  });
}

const credentialSign = ({ auth, name }: AskedCredential): Sign => ({
  dialect: 'public-names',
  at: auth.at,
  what: `a task asks for the credential '${name}', which the keychain does not declare`,
});

const NO_KEYS: MapTree = map();

const mapOf = (tree: Tree | undefined): MapTree => (tree?.kind === 'map' ? tree : NO_KEYS);
