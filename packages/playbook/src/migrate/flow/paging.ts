import { RESERVED_ITERATORS } from '../../model/vocabulary.ts';
import { put, tasksOf, withTasks } from '../body/pipeline.ts';
import { BINDING } from '../names/binding.ts';
import { type ConditionText, conjunction, expressionOf } from '../names/condition.ts';
import { parsedTemplate } from '../names/parsed-template.ts';
import { isHttpField } from '../names/result-shape.ts';
import { bound } from '../names/rewrite-template.ts';
import { entry, list, map, scalar } from '../tree/build.ts';
import { below, entryOf, fieldOf, textOf } from '../tree/edit.ts';
import type { Above, EntryTree, ItemTree, MapTree, Tree } from '../tree/tree.ts';
import { conditionEntry } from './condition-entry.ts';
import { NO_COMMENTS, policyRule, policySpec } from './policy-rule.ts';
import { attemptsOf } from './retry-backoff.ts';
import type { StepFlow } from './step-flow.ts';
import { labelledTasks, withFollowing, withLeading, withTaskRules } from './step-pipeline.ts';
import { IS_OK, renamedText } from './text-condition.ts';

/** A call that is made again with other parameters while its answers say that there is more. */
export interface Paging {
  /** With the names of a rule of the task. */
  readonly more: ConditionText;
  /** As its author wrote it. */
  readonly asked: string;
  /** Fields of the task, and what they are in the next call. */
  readonly next: MapTree;
  /** How many calls are made at most. */
  readonly calls: number | undefined;
  readonly collect: EntryTree | undefined;
  readonly at: number;
  /** Comments that stood above it. */
  readonly above?: Above;
}

/** Something that is kept from one call to the next. */
interface Held {
  readonly key: string;
  /** Undefined where something before the call sets it. */
  readonly first: Tree | undefined;
  readonly next: Tree;
}

/** `retry: { on_success: { while, next_call, max_attempts, collect } }`; undefined, with a problem, where it cannot be said. */
export function migratePaging(
  step: MapTree,
  clause: EntryTree,
  rules: readonly ItemTree[],
  flow: StepFlow,
): MapTree | undefined {
  const tree = clause.value.kind === 'map' ? clause.value : map();
  const strange = tree.entries.find(({ key }) => !['while', 'next_call', 'max_attempts', 'collect'].includes(key));
  if (strange !== undefined) return refused(strange.at, `'on_success' has '${strange.key}'`, flow);
  const found = entryOf(tree, 'while');
  const next = fieldOf(tree, 'next_call');
  if (found === undefined || next?.kind !== 'map')
    return refused(clause.at, "'on_success' lacks 'while' or 'next_call'", flow);
  const text = textOf(conditionEntry(found, flow)?.value);
  if (text === undefined) return undefined;
  const more = renamedText(text, 'policy', found.at, flow);
  const collect = entryOf(tree, 'collect');
  return withPaging(step, { more, asked: text, next, calls: attemptsOf(tree), collect, at: clause.at }, rules, flow);
}

/** The step as a pipeline that goes back to its call; undefined, with a problem, where that cannot be said. */
export function withPaging(
  step: MapTree,
  paging: Paging,
  rules: readonly ItemTree[],
  flow: StepFlow,
): MapTree | undefined {
  const [task] = labelledTasks(step);
  const { at } = paging;
  if (task === undefined || tasksOf(step).length > 1)
    return refused(at, 'pages are fetched by a step that is not one task', flow);
  const parameters = parametersOf(task.body, paging.next, flow);
  const collected = paging.collect === undefined ? [] : collectedOf(paging.collect, paging, task.body, flow);
  if (parameters === undefined || collected === undefined) return undefined;
  const calls = paging.calls === undefined ? [] : [counter(flow)];
  const held = [...parameters.held, ...collected, ...calls];
  const left = paging.calls === undefined ? [] : [`{{ ${pathOf('calls', flow)} < ${paging.calls} }}`];
  const again = [entry('do', 'jump', at), entry('to', task.label, at), ...written(held, 'next', at, flow)];
  const ended = [entry('do', 'continue', at), ...written(collected, 'next', at, flow)];
  const policy = [
    ...rules,
    below(policyRule(conjunction([IS_OK, paging.more, ...left]), again, at), paging.above ?? NO_COMMENTS),
    policyRule(IS_OK, ended, at),
  ];
  flow.journal.note(
    'retry-paging',
    at,
    `the next page is fetched by going back to the task, with what it needs in ${flow.loops ? 'iter' : 'ctx'}`,
  );
  const paged = withTasks(step, [{ ...task, body: withTaskRules(parameters.body, policy) }]);
  const begin = policyRule(undefined, [entry('do', 'continue', at), ...written(held, 'first', at, flow)], at);
  const begun = withLeading(paged, 'first_page', map(entry('kind', 'noop', at), policySpec([begin], at)), at);
  const own = collected.find(({ first }) => first !== undefined);
  if (own === undefined) return begun;
  const result = map(entry('kind', 'noop', at), entry('result', `{{ ${pathOf(own.key, flow)} }}`, at));
  return withFollowing(begun, own.key, result, at);
}

/** Each field that the next call has otherwise is read from what is kept; it begins as it stands in the task. */
function parametersOf(
  body: MapTree,
  next: MapTree,
  flow: StepFlow,
): { readonly body: MapTree; readonly held: readonly Held[] } | undefined {
  let tree = body;
  const held: Held[] = [];
  for (const field of next.entries) {
    if (field.value.kind !== 'map')
      return refused(field.at, `the next call has another '${field.key}' as a whole`, flow);
    const present = fieldOf(tree, field.key);
    let inner = present?.kind === 'map' ? present : map();
    for (const part of field.value.entries) {
      held.push({
        key: part.key,
        first: entryOf(inner, part.key)?.value ?? scalar(null),
        next: flow.renamed(part.value, 'policy', part.at),
      });
      inner = put(inner, part.key, scalar(`{{ ${pathOf(part.key, flow)} }}`), part.at);
    }
    tree = put(tree, field.key, inner, field.at);
  }
  return { body: tree, held };
}

const counter = (flow: StepFlow): Held => ({
  key: 'calls',
  first: scalar(1),
  next: scalar(`{{ ${pathOf('calls', flow)} + 1 }}`),
});

const JOINING = ['append', 'extend', 'concat', 'accumulate'];

/** `collect: { path, into, strategy }` gives the result of the step, `{ from, into, mode }` a value of ctx. */
function collectedOf(
  collect: EntryTree,
  { asked }: Paging,
  task: MapTree,
  flow: StepFlow,
): readonly Held[] | undefined {
  const tree = collect.value.kind === 'map' ? collect.value : map();
  const strategy = textOf(fieldOf(tree, 'strategy') ?? fieldOf(tree, 'mode')) ?? 'append';
  const path = textOf(fieldOf(tree, 'path'));
  const from = textOf(fieldOf(tree, 'from'));
  const into = textOf(fieldOf(tree, 'into'))?.replace(/^ctx\./, '') ?? 'pages';
  // Where the condition reads fields of the body as those of the answer, so does the path.
  const answer = textOf(fieldOf(task, 'kind')) === 'http' && readsBody(asked) ? 'response.data' : 'response';
  const old = path === undefined ? from : path === '' ? answer : `${answer}.${path}`;
  if (!JOINING.includes(strategy) || old === undefined)
    return refused(collect.at, "'collect' is not { path, into } with strategy append", flow);
  const items = bound(expressionOf(renamedText(`{{ ${old} }}`, 'policy', collect.at, flow)) ?? old, BINDING.concat);
  if (path === undefined)
    return [{ key: `ctx.${into}`, first: undefined, next: scalar(`{{ ctx.${into} | default([]) + ${items} }}`) }];
  return [{ key: into, first: list(), next: scalar(`{{ ${pathOf(into, flow)} + ${items} }}`) }];
}

function readsBody(asked: string): boolean {
  const template = parsedTemplate(asked);
  if ('message' in template) return false;
  return template.references().some(({ name, path }) => name === 'response' && !isHttpField(path[0]));
}

/** Inside of a loop what is kept belongs to the iteration, else to the execution under the name of the step. */
const pathOf = (key: string, flow: StepFlow): string => `${flow.loops ? 'iter' : 'ctx'}.${keyOf(key, flow)}`;

function keyOf(key: string, { loops, name, facts }: StepFlow): string {
  if (!loops) return `${name.replaceAll(/\W/g, '_')}_${key}`;
  const taken = RESERVED_ITERATORS.includes(key) || facts.steps.get(name)?.iterator === key;
  return taken ? `next_${key}` : key;
}

function written(held: readonly Held[], which: 'first' | 'next', at: number, flow: StepFlow): readonly EntryTree[] {
  const entries = held.flatMap(({ key, [which]: value }) => (value === undefined ? [] : [{ key, value }]));
  const shared = entries
    .filter(({ key }) => key.startsWith('ctx.'))
    .map(({ key, value }) => entry(key.slice(4), value, at));
  const own = entries
    .filter(({ key }) => !key.startsWith('ctx.'))
    .map(({ key, value }) => entry(keyOf(key, flow), value, at));
  const kept = flow.loops ? { set_iter: own, set_ctx: shared } : { set_ctx: [...own, ...shared] };
  return Object.entries(kept).flatMap(([key, values]) => (values.length === 0 ? [] : [entry(key, map(...values), at)]));
}

function refused(at: number, what: string, { journal }: StepFlow): undefined {
  journal.problem(
    at,
    `${what}`,
    'Page in the policy of the task: keep the page with set_ctx (in a loop set_iter) and jump back to it; see docs on pagination.',
  );
  return undefined;
}
