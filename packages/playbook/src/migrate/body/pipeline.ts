import { KINDS_WITH_OWN_NAME } from '../../model/vocabulary.ts';
import { entry, flow, item, list, map, scalar } from '../tree/build.ts';
import {
  entryOf,
  fieldOf,
  replacedValue,
  revalued,
  textOf,
  withEntries,
  withEntry,
  withItems,
  without,
} from '../tree/edit.ts';
import type { EntryTree, ItemTree, MapTree, Tree } from '../tree/tree.ts';

/** A task of a step, whatever form its author gave it (DOC-6). */
export interface PipelineTask {
  /** What the author called it, else `task_<n>` by position. */
  readonly label: string;
  /** Its kind, fields and spec, without the label where that is a key. */
  readonly body: MapTree;
  readonly at: number;
  /** How it stands in a list; `sole` where it was the step's only task, and undefined where it is new. */
  readonly item: ItemTree | 'sole' | undefined;
}

/** The tasks of a step, in order; what is no task is left out. */
export function tasksOf(step: MapTree): readonly PipelineTask[] {
  const tool = entryOf(step, 'tool');
  if (tool === undefined) return [];
  if (tool.value.kind === 'map') return [taskIn(tool.value, 0, tool.at, 'sole')];
  if (tool.value.kind === 'scalar') return [];
  return tool.value.items.flatMap((part, i) =>
    part.value.kind === 'map' ? [taskIn(part.value, i, part.at, part)] : [],
  );
}

function taskIn(tree: MapTree, index: number, at: number, part: PipelineTask['item']): PipelineTask {
  const key = labelKey(tree);
  if (key !== undefined && key.value.kind === 'map') return { label: key.key, body: key.value, at: key.at, item: part };
  return { label: labelOf(tree) ?? `task_${index + 1}`, body: tree, at, item: part };
}

/** The entry that is a label: `- fetch: { kind: http }`. */
const labelKey = (tree: MapTree): EntryTree | undefined => {
  const only = tree.entries.length === 1 ? tree.entries[0] : undefined;
  return only?.value.kind === 'map' ? only : undefined;
};

/** The label that `name` gives; for some kinds that is a field of the tool. */
function labelOf(task: MapTree): string | undefined {
  const kind = textOf(fieldOf(task, 'kind'));
  return kind !== undefined && KINDS_WITH_OWN_NAME.includes(kind) ? undefined : textOf(fieldOf(task, 'name'));
}

/** A task that the author did not write. */
export const newTask = (label: string, body: MapTree, at: number): PipelineTask => ({
  label,
  body,
  at,
  item: undefined,
});

/** A label that no task has: the wanted one, else with a number behind it. */
export function freeLabel(wanted: string, tasks: readonly PipelineTask[]): string {
  const taken = new Set(tasks.map(({ label }) => label));
  if (!taken.has(wanted)) return wanted;
  for (let n = 2; ; n += 1) if (!taken.has(`${wanted}_${n}`)) return `${wanted}_${n}`;
}

/** The step with these tasks: its only task stays a map where it was one; the same object if none is another. */
export function withTasks(step: MapTree, tasks: readonly PipelineTask[]): MapTree {
  const tool = fieldOf(step, 'tool');
  const before = tasksOf(step);
  if (tasks.length === before.length && tasks.every((task, i) => task.body === before[i]?.body)) return step;
  const only = tasks[0];
  if (only === undefined) return without(step, 'tool');
  if (tasks.length === 1 && tool?.kind !== 'list')
    return withTool(step, only.item === 'sole' && tool !== undefined ? relabelled(tool, only) : only.body, only.at);
  const items = tasks.map((task) => itemOf(task, tool));
  return withTool(step, tool?.kind === 'list' ? withItems(tool, items) : list(...items), only.at);
}

function withTool(step: MapTree, tool: Tree, at: number): MapTree {
  if (entryOf(step, 'tool') !== undefined) return replacedValue(step, 'tool', tool);
  const after = ['loop', 'spec', 'desc', 'step'].find((key) => entryOf(step, key) !== undefined);
  return withEntry(step, entry('tool', tool, at), after === undefined ? {} : { after });
}

/** `tool`: the value that the step's only task was. */
function itemOf(task: PipelineTask, tool: Tree | undefined): ItemTree {
  const { item: part, body, at } = task;
  if (part === 'sole') return item(tool === undefined ? body : relabelled(tool, task), at);
  if (part !== undefined) return revalued(part, relabelled(part.value, task));
  return item(isOwnName(body) ? map(entry(task.label, body, at)) : named(task), at);
}

/** The tree that a task was, with what it is now. */
function relabelled(tree: Tree, { body }: PipelineTask): Tree {
  const key = tree.kind === 'map' ? labelKey(tree) : undefined;
  if (tree.kind !== 'map' || key === undefined) return body;
  return key.value === body ? tree : replacedValue(tree, key.key, body);
}

function isOwnName(body: MapTree): boolean {
  const kind = textOf(fieldOf(body, 'kind'));
  return kind !== undefined && KINDS_WITH_OWN_NAME.includes(kind);
}

function named({ label, body, at }: PipelineTask): MapTree {
  if (labelOf(body) === label) return body;
  return withEntries(body, [entry('name', label, at), ...body.entries.filter(({ key }) => key !== 'name')]);
}

/** A rule of a task's policy: `when` an expression without braces; undefined for `else`. `then` as entries. */
export function ruleOf(when: string | Tree | undefined, then: readonly EntryTree[], at: number): ItemTree {
  const directive = entry('then', then.length === 1 ? flow(map(...then)) : map(...then), at);
  if (when === undefined) return item(map(entry('else', map(directive), at)), at);
  const condition = typeof when === 'string' ? scalar(`{{ ${when} }}`) : when;
  return item(map(entry('when', condition, at), directive), at);
}

/** The rules of a task's policy; none where it has no policy. */
export function rulesOf(task: MapTree): readonly ItemTree[] {
  const rules = policyRules(task);
  return rules?.kind === 'list' ? rules.items : [];
}

/** Whether the rule is the `else` of its policy. */
export const isElse = ({ value }: ItemTree): boolean => value.kind === 'map' && entryOf(value, 'else') !== undefined;

/** The task with exactly these rules. */
export function withRuleList(task: MapTree, rules: readonly ItemTree[]): MapTree {
  const at = rules[0]?.at ?? 0;
  const present = policyRules(task);
  const tree = present?.kind === 'list' ? withItems(present, rules) : list(...rules);
  const spec = mapField(task, 'spec');
  const policy = mapField(spec, 'policy');
  return put(task, 'spec', put(spec, 'policy', put(policy, 'rules', tree, at), at), at);
}

function policyRules(task: MapTree): Tree | undefined {
  const spec = fieldOf(task, 'spec');
  const policy = spec?.kind === 'map' ? fieldOf(spec, 'policy') : undefined;
  return policy?.kind === 'map' ? fieldOf(policy, 'rules') : undefined;
}

const mapField = (tree: MapTree, key: string): MapTree => {
  const value = fieldOf(tree, key);
  return value?.kind === 'map' ? value : map();
};

/** The map with this value under the key, where the key stood or at the end. */
export function put(tree: MapTree, key: string, value: Tree, at: number): MapTree {
  return entryOf(tree, key) === undefined ? withEntry(tree, entry(key, value, at)) : replacedValue(tree, key, value);
}
