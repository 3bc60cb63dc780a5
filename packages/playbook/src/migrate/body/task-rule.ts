import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import type { RuleId } from '../rules.ts';
import { entry, map } from '../tree/build.ts';
import {
  entryOf,
  fieldOf,
  rekeyed,
  renamedEntry,
  replacedValue,
  withEntries,
  withEntry,
  without,
} from '../tree/edit.ts';
import type { EntryTree, MapTree, Tree } from '../tree/tree.ts';

/** What a rule for tasks must know beside the task itself. */
export interface TaskContext {
  readonly kind: string;
  /** The step it belongs to; undefined for a task of the workbook. */
  readonly step: string | undefined;
  readonly facts: DocumentFacts;
  readonly journal: Journal;
}

/** One change of a task; the same object where there is nothing to change. */
export type TaskRule = (task: MapTree, context: TaskContext) => MapTree;

export const applied = (rules: readonly TaskRule[], task: MapTree, context: TaskContext): MapTree =>
  rules.reduce((changed, rule) => rule(changed, context), task);

/** The same field under another name; where both stand there, that is a problem of the author's. */
export const renamed =
  (from: string, to: string): TaskRule =>
  (task, { journal }) => {
    const old = entryOf(task, from);
    if (old === undefined) return task;
    if (entryOf(task, to) !== undefined) {
      journal.problem(old.at, `the task has both '${from}' and '${to}', which mean the same`, `Keep '${to}' alone.`);
      return task;
    }
    journal.note('tool-field', old.at, `'${from}' becomes '${to}'`);
    return renamedEntry(task, from, to);
  };

interface Removal {
  readonly rule?: RuleId;
  readonly why: string;
  readonly review?: boolean;
  /** Which values may go; any, unless given. */
  readonly when?: (value: Tree) => boolean;
}

/** A field that has no place any more. */
export const removed =
  (key: string, { rule = 'tool-field-removed', why, review = false, when }: Removal): TaskRule =>
  (task, { journal }) => {
    const old = entryOf(task, key);
    if (old === undefined || when?.(old.value) === false) return task;
    journal.note(rule, old.at, `'${key}' is left out: ${why}`, { review });
    return without(task, key);
  };

/** A field that cannot be translated. */
export const refused =
  (key: string, message: string, hint: string, when: (value: Tree) => boolean = () => true): TaskRule =>
  (task, { journal }) => {
    const old = entryOf(task, key);
    if (old !== undefined && when(old.value)) journal.problem(old.at, message, hint);
    return task;
  };

/** A field that lives under spec now, or one that spec has already, which then wins. */
export const toSpec =
  (from: string, to: string): TaskRule =>
  (task, { journal }) => {
    const old = entryOf(task, from);
    if (old === undefined) return task;
    const spec = fieldOf(task, 'spec');
    const stands = spec?.kind === 'map' && entryOf(spec, to) !== undefined;
    if (stands)
      journal.note('task-spec', old.at, `'${from}' is left out: spec.${to} stands there already`, { review: true });
    else journal.note('task-spec', old.at, `'${from}' becomes spec.${to}`);
    return withSpec(without(task, from), rekeyed(old, to));
  };

/** The task with an entry of its spec; what stands there already stays. */
export function withSpec(task: MapTree, part: EntryTree): MapTree {
  const spec = fieldOf(task, 'spec');
  if (spec?.kind !== 'map') return withEntry(without(task, 'spec'), entry('spec', map(part), part.at));
  if (entryOf(spec, part.key) !== undefined) return task;
  return replacedValue(task, 'spec', withEntries(spec, [part, ...spec.entries]));
}

/** Values for the work under another name: they are args; what args say already wins. */
export const toArgs =
  (from: string): TaskRule =>
  (task, { journal }) => {
    const old = entryOf(task, from);
    if (old === undefined) return task;
    const merged = withArgs(without(task, from), old);
    if (merged === undefined) {
      journal.problem(
        old.at,
        `'${from}' and 'args' of the task cannot be put together: one of them is no mapping`,
        'Write one mapping: args: { name: value }.',
      );
      return task;
    }
    journal.note('task-args', old.at, `'${from}' becomes 'args'`);
    // At the place where it stood, if there were no args.
    return entryOf(task, 'args') === undefined ? renamedEntry(task, from, 'args') : merged;
  };

/** The task with more args; undefined where they are no mapping. Its own win. */
export function withArgs(task: MapTree, more: EntryTree): MapTree | undefined {
  const args = entryOf(task, 'args');
  if (args === undefined || isNothing(args.value)) {
    const rest = without(task, 'args');
    return withEntry(rest, rekeyed(more, 'args'), { after: 'kind' });
  }
  if (isNothing(more.value)) return task;
  if (args.value.kind !== 'map' || more.value.kind !== 'map') return undefined;
  const { entries } = args.value;
  const added = more.value.entries.filter(({ key }) => !entries.some((own) => own.key === key));
  if (added.length === 0) return task;
  return replacedValue(task, 'args', withEntries(args.value, [...added, ...entries]));
}

/** An empty mapping or list, or null. */
export const isNothing = (tree: Tree): boolean =>
  tree.kind === 'scalar'
    ? tree.value === null
    : tree.kind === 'map'
      ? tree.entries.length === 0
      : tree.items.length === 0;
