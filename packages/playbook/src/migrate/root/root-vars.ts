import { freeLabel, newTask, ruleOf, tasksOf, withRuleList, withTasks } from '../body/pipeline.ts';
import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { entry, item, list, map, scalar } from '../tree/build.ts';
import { entryOf, fieldOf, mapItems, replacedValue, textOf, withEntry, withItems, without } from '../tree/edit.ts';
import type { EntryTree, ListTree, MapTree, Tree } from '../tree/tree.ts';

/** Values of the execution from its start: a first task puts them into ctx. */
export function migrateRootVars(root: MapTree, _facts: DocumentFacts, journal: Journal): MapTree {
  const vars = entryOf(root, 'vars');
  const workflow = fieldOf(root, 'workflow');
  if (vars === undefined) return root;
  const bare = without(root, 'vars');
  if (vars.value.kind !== 'map' || vars.value.entries.length === 0 || workflow?.kind !== 'list') {
    journal.note('root-vars', vars.at, "'vars' is left out: it names nothing");
    return bare;
  }
  const entryStep = entryName(root);
  const step = workflow.items.find(({ value }) => isStep(value, entryStep))?.value;
  if (step?.kind !== 'map') return root;
  if (!isPlain(step) || isTarget(workflow, entryStep)) return withFirstStep(bare, workflow, vars, entryStep, journal);
  journal.note('root-vars', vars.at, `'vars' is put into ctx by a first task of the step '${entryStep}'`);
  const steps = mapItems(workflow, (value) => (value === step ? withFirstTask(step, vars) : value));
  return replacedValue(bare, 'workflow', steps);
}

function entryName(root: MapTree): string {
  const executor = fieldOf(root, 'executor');
  const spec = executor?.kind === 'map' ? fieldOf(executor, 'spec') : undefined;
  return (spec?.kind === 'map' ? textOf(fieldOf(spec, 'entry_step')) : undefined) ?? 'start';
}

const isStep = (tree: Tree, name: string): boolean => tree.kind === 'map' && textOf(fieldOf(tree, 'step')) === name;

/** Whether a task can be put in front of its work: no loop, and a tool of today's form or none. */
const isPlain = (step: MapTree): boolean =>
  entryOf(step, 'loop') === undefined &&
  fieldOf(step, 'tool')?.kind !== 'scalar' &&
  entryOf(step, 'type') === undefined;

/** Whether the execution may come to the step again: then its values would begin anew. */
function isTarget(workflow: ListTree, name: string): boolean {
  const goes = (tree: Tree): boolean => {
    if (tree.kind === 'scalar') return false;
    if (tree.kind === 'list') return tree.items.some(({ value }) => textOf(value) === name || goes(value));
    return tree.entries.some(
      ({ key, value }) =>
        ((key === 'step' || key === 'next' || key === 'then') && textOf(value) === name) || goes(value),
    );
  };
  return workflow.items.some(
    ({ value }) => value.kind === 'map' && value.entries.some((part) => part.key !== 'step' && goes(map(part))),
  );
}

function withFirstTask(step: MapTree, vars: EntryTree): MapTree {
  const tasks = tasksOf(step);
  return withTasks(step, [newTask(freeLabel('init_vars', tasks), initTask(vars), vars.at), ...tasks]);
}

function initTask(vars: EntryTree): MapTree {
  const then = [entry('do', 'continue', vars.at), entry('set_ctx', vars.value, vars.at)];
  return withRuleList(map(entry('kind', 'noop', vars.at)), [ruleOf(undefined, then, vars.at)]);
}

/** A step of its own before the entry step. */
function withFirstStep(
  root: MapTree,
  workflow: ListTree,
  vars: EntryTree,
  entryStep: string,
  journal: Journal,
): MapTree {
  const names = new Set(
    workflow.items.map(({ value }) => (value.kind === 'map' ? textOf(fieldOf(value, 'step')) : '')),
  );
  let name = 'init_vars';
  while (names.has(name)) name = `${name}_`;
  const { at } = vars;
  journal.note('root-vars', at, `'vars' is put into ctx by a new first step '${name}'`);
  const arcs = entry('arcs', list(item(map(entry('step', entryStep, at)), at)), at);
  const step = map(entry('step', name, at), entry('tool', initTask(vars), at), entry('next', map(arcs), at));
  const steps = replacedValue(root, 'workflow', withItems(workflow, [item(step, at), ...workflow.items]));
  return withEntryStep(steps, name, at);
}

function withEntryStep(root: MapTree, name: string, at: number): MapTree {
  const executor = fieldOf(root, 'executor');
  const owner = executor?.kind === 'map' ? executor : map();
  const spec = fieldOf(owner, 'spec');
  const inner = withEntry(spec?.kind === 'map' ? spec : map(), entry('entry_step', scalar(name), at));
  const changed = withEntry(owner, entry('spec', inner, at));
  return withEntry(root, entry('executor', changed, at), { after: 'metadata' });
}
