import {
  freeLabel,
  isElse,
  newTask,
  type PipelineTask,
  rulesOf,
  tasksOf,
  withRuleList,
  withTasks,
} from '../body/pipeline.ts';
import { entry, item, map } from '../tree/build.ts';
import { entryOf, fieldOf, mapItems, revalued, textOf, withEntries } from '../tree/edit.ts';
import type { ItemTree, MapTree, Tree } from '../tree/tree.ts';
import { policyRule } from './policy-rule.ts';
import { IS_ERROR, IS_OK } from './text-condition.ts';

/** The task whose result is that of the step: its last one. */
export const resultTask = (step: MapTree): PipelineTask | undefined => tasksOf(step).at(-1);

/**
 * The step with rules about the outcome of its last task, before those that are there. In older dialects an error that
 * nothing matched failed the step, so that a policy which is new says so.
 */
export function withOutcomeRules(step: MapTree, rules: readonly ItemTree[]): MapTree {
  if (rules.length === 0) return step;
  const tasks = tasksOf(step);
  const last = tasks.at(-1) ?? noop(rules[0]?.at ?? 0);
  return withTasks(step, [...tasks.slice(0, -1), { ...last, body: withTaskRules(last.body, rules) }]);
}

export function withTaskRules(task: MapTree, rules: readonly ItemTree[]): MapTree {
  const present = rulesOf(task);
  return withRuleList(task, present.length === 0 ? closed(rules) : [...rules, ...present]);
}

/** A policy without an outcome that no rule speaks of. */
function closed(rules: readonly ItemTree[]): readonly ItemTree[] {
  const last = rules.at(-1);
  if (last === undefined || isElse(last)) return rules;
  const { at } = last;
  const fail = [entry('do', 'fail', at)];
  if (whenOf(last) === IS_OK) return [...rules, policyRule(undefined, fail, at)];
  const rest = policyRule(undefined, [entry('do', 'continue', at)], at);
  // When its attempts are used up a retry fails by itself.
  return whenOf(last) === IS_ERROR ? [...rules, rest] : [...rules, policyRule(IS_ERROR, fail, at), rest];
}

const whenOf = ({ value }: ItemTree): string | undefined =>
  value.kind === 'map' ? textOf(fieldOf(value, 'when')) : undefined;

const noop = (at: number): PipelineTask => newTask('task_1', map(entry('kind', 'noop', at)), at);

/** The step with a task behind those that it has; what ended the pipeline before goes on with that task. */
export function withFollowing(step: MapTree, wanted: string, body: MapTree, at: number): MapTree {
  const tasks = labelledTasks(step);
  const label = freeLabel(wanted, tasks);
  const before = tasks.map((task) => ({ ...task, body: withoutBreaks(task.body, label) }));
  return withTasks(step, [...before, labelled(step, newTask(label, body, at))]);
}

/** The step with a task before those that it has. */
export function withLeading(step: MapTree, wanted: string, body: MapTree, at: number): MapTree {
  const tasks = labelledTasks(step);
  return withTasks(step, [labelled(step, newTask(freeLabel(wanted, tasks), body, at)), ...tasks]);
}

/** The tasks of a step of which there will be more: the only one is called like the step. */
export function labelledTasks(step: MapTree): readonly PipelineTask[] {
  const tasks = tasksOf(step);
  const [only] = tasks;
  if (only === undefined || fieldOf(step, 'tool')?.kind !== 'map') return tasks;
  const label = textOf(fieldOf(step, 'step')) ?? only.label;
  return [labelled(step, { ...only, label, item: undefined })];
}

/** As the other tasks of the step are written: `- label: { … }`, or with `name`. */
function labelled(step: MapTree, task: PipelineTask): PipelineTask {
  const tool = fieldOf(step, 'tool');
  const byName =
    tool?.kind === 'list' &&
    tool.items.some(({ value }) => value.kind === 'map' && entryOf(value, 'kind') !== undefined);
  if (byName) return task;
  return { ...task, item: item(map(entry(task.label, task.body, task.at)), task.at) };
}

/** `do: break` ended the pipeline: the task that now follows comes first. */
function withoutBreaks(task: MapTree, to: string): MapTree {
  const rules = rulesOf(task);
  const changed = rules.map((rule) => revalued(rule, jumping(rule.value, to)));
  return changed.every((rule, i) => rule === rules[i]) ? task : withRuleList(task, changed);
}

function jumping(tree: Tree, to: string): Tree {
  if (tree.kind === 'list') return mapItems(tree, (value) => jumping(value, to));
  if (tree.kind === 'scalar') return tree;
  const directive = entryOf(tree, 'do');
  if (directive !== undefined && textOf(directive.value) === 'break')
    return withEntries(
      tree,
      tree.entries.flatMap((one) =>
        one === directive ? [revalued(one, entry('do', 'jump', one.at).value), entry('to', to, one.at)] : [one],
      ),
    );
  const entries = tree.entries.map((one) =>
    one.key === 'then' || one.key === 'else' ? revalued(one, jumping(one.value, to)) : one,
  );
  return entries.every((one, i) => one === tree.entries[i]) ? tree : withEntries(tree, entries);
}

/** The rules of a task that is put behind the step's work: it runs where the condition holds, and leaves the result. */
export function followingRules(guard: ItemTree | undefined, at: number): readonly ItemTree[] {
  return [
    ...(guard === undefined ? [] : [guard]),
    policyRule(IS_OK, [entry('do', 'skip', at)], at),
    policyRule(undefined, [entry('do', 'fail', at)], at),
  ];
}
