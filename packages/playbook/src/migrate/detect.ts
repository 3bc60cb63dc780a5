import { LineIndex } from '../diagnostics/line-index.ts';
import { rulesOf, tasksOf } from './body/pipeline.ts';
import { type AskedCredential, askedCredentials } from './credentials/asked-credentials.ts';
import { DIALECTS, type Dialect } from './dialects.ts';
import type { DialectFound } from './migration.ts';
import { olderNames } from './names/older-names.ts';
import { entryOf, fieldOf, textOf } from './tree/edit.ts';
import type { EntryTree, MapTree, Tree } from './tree/tree.ts';

/** What shows that a document speaks a dialect, with where it stands. */
interface Sign {
  readonly dialect: Dialect;
  readonly at: number;
  readonly what: string;
}

const STEP_SIGNS: Readonly<Record<string, Dialect>> = {
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

/** MIG-1: the dialects of a document, each with what shows it; canonical alone where nothing older is found. */
export function detectDialects(root: MapTree, source: string): readonly DialectFound[] {
  const lines = new LineIndex(source);
  const signs = [
    ...rootSigns(root),
    ...stepsOf(root).flatMap(stepSigns),
    ...askedCredentials(root).map(credentialSign),
    ...olderNames(root),
  ];
  const found = DIALECTS.flatMap((dialect): readonly DialectFound[] => {
    const evidence = signs
      .filter((sign) => sign.dialect === dialect)
      .map(({ at, what }) => ({ ...lines.place(at), what }));
    return evidence.length === 0 ? [] : [{ dialect, evidence }];
  });
  return found.length > 0 ? found : [{ dialect: 'v10', evidence: [] }];
}

function rootSigns(root: MapTree): readonly Sign[] {
  return root.entries.flatMap((part): readonly Sign[] => {
    if (part.key === 'apiVersion' && textOf(part.value) === 'noetl.io/v1')
      return [{ dialect: 'v1-004', at: part.at, what: "apiVersion is 'noetl.io/v1'" }];
    if (part.key === 'name' || part.key === 'path')
      return [{ dialect: 'v1-004', at: part.at, what: `'${part.key}' stands at the root` }];
    if (part.key === 'vars') return [{ dialect: 'case-003', at: part.at, what: "'vars' stands at the root" }];
    return [];
  });
}

const credentialSign = ({ auth, name }: AskedCredential): Sign => ({
  dialect: 'public-names',
  at: auth.at,
  what: `a task asks for the credential '${name}', which the keychain does not declare`,
});

function stepSigns(step: MapTree): readonly Sign[] {
  const name = textOf(fieldOf(step, 'step')) ?? '';
  const keys = signsAmong(step.entries, STEP_SIGNS, `the step '${name}'`);
  const tool = entryOf(step, 'tool');
  const word: readonly Sign[] =
    textOf(tool?.value) === undefined || tool === undefined
      ? []
      : [{ dialect: 'tool-string', at: tool.at, what: `the step '${name}' has 'tool: ${textOf(tool.value)}'` }];
  return [...keys, ...word, ...taskSigns(step, name)];
}

const TASK_SIGNS: Readonly<Record<string, Dialect>> = {
  eval: 'eval-002',
  input: 'public-names',
  output: 'public-names',
  set: 'public-names',
  retry: 'case-003',
  sink: 'case-003',
};

const THEN_SIGNS: Readonly<Record<string, Dialect>> = {
  set: 'public-names',
  set_vars: 'eval-002',
  set_prev: 'eval-002',
};

function taskSigns(step: MapTree, name: string): readonly Sign[] {
  const what = `a task of the step '${name}'`;
  return tasksOf(step).flatMap(({ body }) => [
    ...signsAmong(body.entries, TASK_SIGNS, what),
    ...rulesOf(body).flatMap((rule) => signsAmong(entriesBelow(rule.value), THEN_SIGNS, `a rule of ${what}`)),
  ]);
}

const signsAmong = (
  entries: readonly EntryTree[],
  signs: Readonly<Record<string, Dialect>>,
  what: string,
): readonly Sign[] =>
  entries.flatMap(({ key, at }) => {
    const dialect = Object.hasOwn(signs, key) ? signs[key] : undefined;
    return dialect === undefined ? [] : [{ dialect, at, what: `${what} has '${key}'` }];
  });

function entriesBelow(tree: Tree | undefined): readonly EntryTree[] {
  if (tree === undefined || tree.kind === 'scalar') return [];
  if (tree.kind === 'list') return tree.items.flatMap(({ value }) => entriesBelow(value));
  return tree.entries.flatMap((part) => [part, ...entriesBelow(part.value)]);
}

function stepsOf(root: MapTree): readonly MapTree[] {
  const workflow = fieldOf(root, 'workflow');
  return workflow?.kind === 'list' ? workflow.items.flatMap(({ value }) => (value.kind === 'map' ? [value] : [])) : [];
}
