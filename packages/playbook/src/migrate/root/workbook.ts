import { renameTask } from '../body/body-names.ts';
import { migratePolicy } from '../body/migrate-policy.ts';
import { migrateTaskFields } from '../body/migrate-task.ts';
import { STEP_WORDS } from '../body/tool-form.ts';
import type { DocumentFacts } from '../document-facts.ts';
import { migrateTaskRetry } from '../flow/retry.ts';
import { stepFlow } from '../flow/step-flow.ts';
import type { Journal } from '../journal.ts';
import { scalar } from '../tree/build.ts';
import {
  entryOf,
  fieldOf,
  renamedEntry,
  replacedValue,
  revalued,
  textOf,
  withEntries,
  withItems,
  without,
} from '../tree/edit.ts';
import type { ItemTree, MapTree, Tree } from '../tree/tree.ts';

/** Tasks of the workbook: `{ name, tool: { … } }` and `{ name, type, … }` become the task beside its name. */
export function migrateWorkbook(root: MapTree, facts: DocumentFacts, journal: Journal): MapTree {
  const workbook = fieldOf(root, 'workbook');
  if (workbook === undefined || workbook.kind === 'scalar') return root;
  const task = (tree: Tree): Tree => (tree.kind === 'map' ? migrateEntry(tree, facts, journal) : tree);
  if (workbook.kind === 'map') {
    const entries = workbook.entries.map((part) => revalued(part, task(part.value)));
    const same = entries.every((part, i) => part === workbook.entries[i]);
    return same ? root : replacedValue(root, 'workbook', withEntries(workbook, entries));
  }
  const called = calledNames(fieldOf(root, 'workflow'));
  const items = workbook.items.flatMap((part): readonly ItemTree[] =>
    isDead(part.value, called, journal) ? [] : [revalued(part, task(part.value))],
  );
  if (items.length === workbook.items.length && items.every((part, i) => part === workbook.items[i])) return root;
  return items.length === 0 ? without(root, 'workbook') : replacedValue(root, 'workbook', withItems(workbook, items));
}

function migrateEntry(tree: MapTree, facts: DocumentFacts, journal: Journal): MapTree {
  const flat = withoutContract(flattened(tree, journal), journal);
  const sink = entryOf(flat, 'sink');
  if (sink !== undefined)
    journal.problem(
      sink.at,
      "a task of the workbook has a 'sink': it is one task",
      'Put a task that stores the result behind each call of it.',
    );
  const fields = withCallArgs(migrateTaskFields(flat, undefined, facts, journal), journal);
  // Whether a loop calls it is not known: what it keeps of an iteration stays.
  const ruled = migratePolicy(fields, '', true, facts, journal);
  const renamed = renameTask(ruled, { at: 'root' }, facts, journal);
  return migrateTaskRetry(renamed, stepFlow('', false, facts, journal));
}

/** An arg without a value names what calls give: the task's own args lie over those of a call. */
function withCallArgs(task: MapTree, journal: Journal): MapTree {
  const args = fieldOf(task, 'args');
  if (args?.kind !== 'map') return task;
  const entries = args.entries.map((part) => {
    if (part.value.kind !== 'scalar' || part.value.value !== null || !/^[A-Za-z_]\w*$/.test(part.key)) return part;
    journal.note('workbook-args', part.at, `'${part.key}' is what a call gives`);
    return revalued(part, scalar(`{{ args.${part.key} }}`));
  });
  return entries.every((part, i) => part === args.entries[i])
    ? task
    : replacedValue(task, 'args', withEntries(args, entries));
}

function flattened(tree: MapTree, journal: Journal): MapTree {
  const tool = entryOf(tree, 'tool') ?? (entryOf(tree, 'kind') === undefined ? entryOf(tree, 'type') : undefined);
  if (tool === undefined) return tree;
  if (textOf(tool.value) !== undefined) {
    journal.note('workbook-list', tool.at, `'${tool.key}' becomes 'kind'`);
    return renamedEntry(tree, tool.key, 'kind');
  }
  if (tool.value.kind !== 'map') return tree;
  journal.note('workbook-list', tool.at, "the fields under 'tool' stand beside the name of the task");
  const { entries } = tool.value;
  return withEntries(
    tree,
    tree.entries.flatMap((part) => (part === tool ? entries : [part])),
  );
}

function withoutContract(tree: MapTree, journal: Journal): MapTree {
  const old = entryOf(tree, 'assert');
  if (old === undefined) return tree;
  journal.note('tool-field-removed', old.at, "'assert' is left out: what a task takes and gives is not checked", {
    review: true,
  });
  return without(tree, 'assert');
}

/** A task that no step calls and that could not run: a playbook without a path. */
function isDead(tree: Tree, called: ReadonlySet<string>, journal: Journal): boolean {
  if (tree.kind !== 'map' || called.has(textOf(fieldOf(tree, 'name')) ?? '')) return false;
  const tool = entryOf(tree, 'tool');
  const body = tool?.value.kind === 'map' ? tool.value : tree;
  const kind = textOf(fieldOf(body, 'kind')) ?? textOf(tool?.value);
  if (kind !== 'playbook' || entryOf(body, 'path') !== undefined) return false;
  const at = entryOf(tree, 'name')?.at ?? tool?.at ?? 0;
  journal.note('tool-field-removed', at, 'the task of the workbook is left out: no step calls it, and it has no path', {
    review: true,
  });
  return true;
}

/** Names of tasks that some step calls. */
function calledNames(workflow: Tree | undefined): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (tree: Tree): void => {
    if (tree.kind === 'list') for (const { value } of tree.items) visit(value);
    if (tree.kind !== 'map') return;
    const name = textOf(fieldOf(tree, 'name'));
    if (STEP_WORDS.some((word) => textOf(fieldOf(tree, word)) === 'workbook') && name !== undefined) names.add(name);
    for (const { value } of tree.entries) visit(value);
  };
  if (workflow !== undefined) visit(workflow);
  return names;
}
