import type { StaticPath } from '@noetl/template';
import type { Dialect } from '../dialects.ts';
import { fieldOf, textOf } from '../tree/edit.ts';
import type { MapTree, Tree } from '../tree/tree.ts';
import { comparedConstants } from './compared-constants.ts';
import { isOlderKind } from './error-kinds.ts';
import { type NameFacts, nameFacts } from './name-facts.ts';
import { parsedTemplate } from './parsed-template.ts';
import { rewriteTemplate } from './rewrite-template.ts';
import { pathText } from './static-path.ts';

/** A name in a template that only an older dialect has. */
export interface OlderName {
  readonly dialect: Dialect;
  readonly at: number;
  /** As in `a template reads 'vars.page'`. */
  readonly what: string;
}

const NAMES: Readonly<Record<string, Dialect>> = {
  vars: 'case-003',
  response: 'case-003',
  loop_index: 'case-003',
  result: 'case-003',
  this: 'case-003',
  output: 'public-names',
  input: 'public-names',
};

const EVENTS: ReadonlySet<unknown> = new Set(['step.exit', 'step.enter', 'call.done', 'call.error']);
const LOOP_KEYS: ReadonlySet<unknown> = new Set(['results', 'data', 'stats']);

/** Names that a canonical playbook cannot mean: nothing in the document gives them, and the language has them no more. */
export function olderNames(root: MapTree): readonly OlderName[] {
  const workflow = fieldOf(root, 'workflow');
  const names = nameFacts(root);
  return workflow?.kind === 'list' ? workflow.items.flatMap(({ value, at }) => inTree(value, at, names)) : [];
}

function inTree(tree: Tree, at: number, names: NameFacts): readonly OlderName[] {
  if (tree.kind === 'list') return tree.items.flatMap((item) => inTree(item.value, item.at, names));
  if (tree.kind === 'map') {
    return tree.entries.flatMap((part) => (part.key === 'code' ? [] : inTree(part.value, part.at, names)));
  }
  const text = textOf(tree);
  if (text === undefined || !text.includes('{') || 'message' in parsedTemplate(text)) return [];
  const found: OlderName[] = [];
  rewriteTemplate(text, {
    expression: (node) => {
      for (const { reference, constant } of comparedConstants(node)) {
        const path = pathText(reference.name, reference.path);
        const event = path === 'event.name' && EVENTS.has(constant.value);
        const status = path === 'outcome.status' && constant.value === 'success';
        const kind = path === 'outcome.error.kind' && isOlderKind(constant.value);
        if (event || status || kind)
          found.push({
            dialect: event ? 'case-003' : 'eval-002',
            at,
            what: `a template compares '${path}' with '${constant.value}'`,
          });
      }
      return undefined;
    },
    reference: (reference) => {
      const dialect = dialectOf(reference, names);
      if (dialect !== undefined)
        found.push({ dialect, at, what: `a template reads '${pathText(reference.name, reference.path)}'` });
      return undefined;
    },
  });
  return found;
}

function dialectOf({ name, path }: StaticPath, { given, own, steps }: NameFacts): Dialect | undefined {
  const step = steps.get(name);
  if (name === 'outcome') return path[0] === 'response' || path[0] === 'data' ? 'public-names' : undefined;
  if (step !== undefined) return step.looped && LOOP_KEYS.has(path[0]) ? 'public-names' : undefined;
  if (given.has(name) || own.has(name)) return undefined;
  // A bare name alone may be a value of the request.
  return Object.hasOwn(NAMES, name) && (path.length > 0 || name === 'loop_index') ? NAMES[name] : undefined;
}
