import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { adaptedArgs } from '../names/adapted-args.ts';
import { renamedCondition, renameNames } from '../names/rename-names.ts';
import type { PolicySite, Site } from '../names/site.ts';
import { fieldOf, replacedValue, revalued, textOf, withEntries } from '../tree/edit.ts';
import type { MapTree, Tree } from '../tree/tree.ts';
import { keepResults } from './keep-results.ts';
import { type PipelineTask, rulesOf, withRuleList } from './pipeline.ts';

/** Names in the templates of a pipeline: each task with those in front of it, and its rules with its own outcome. */
export function renameTasks(
  tasks: readonly PipelineTask[],
  step: string,
  facts: DocumentFacts,
  journal: Journal,
): readonly PipelineTask[] {
  const { tasks: keeping, homes } = keepResults(tasks, step, facts, journal);
  return keeping.map((task, i) => {
    const before = keeping
      .slice(0, i)
      .map(({ label, body }) => ({ label, kind: textOf(fieldOf(body, 'kind')), home: homes.get(label) }));
    return { ...task, body: renameTask(task.body, { at: 'task', step, before }, facts, journal) };
  });
}

export function renameTask(named: MapTree, site: Site, facts: DocumentFacts, journal: Journal): MapTree {
  const task = adaptedArgs(named, site, facts, journal);
  const entries = task.entries.map((part) =>
    // The rules read the outcome; retry and sink are renamed by what moves them.
    part.key === 'spec' || MOVED.has(part.key)
      ? part
      : revalued(part, renameNames(part.value, site, facts, journal, part.at)),
  );
  const fields = entries.every((part, i) => part === task.entries[i]) ? task : withEntries(task, entries);
  const kind = textOf(fieldOf(task, 'kind'));
  const before = site.at === 'task' ? site.before : undefined;
  return renameRules(fields, { at: 'policy', step: 'step' in site ? site.step : '', kind, before }, facts, journal);
}

const MOVED: ReadonlySet<string> = new Set(['retry', 'sink', 'code', 'inline']);

function renameRules(task: MapTree, site: PolicySite, facts: DocumentFacts, journal: Journal): MapTree {
  const rules = rulesOf(task);
  const changed = rules.map((rule) => {
    if (rule.value.kind !== 'map') return rule;
    const entries = rule.value.entries.map((part) => {
      const rename = part.key === 'when' ? renamedCondition : renameNames;
      return revalued(part, rename(part.value, site, facts, journal, part.at));
    });
    const same = entries.every((part, i) => rule.value.kind === 'map' && part === rule.value.entries[i]);
    return same ? rule : revalued(rule, withEntries(rule.value, entries));
  });
  return changed.every((rule, i) => rule === rules[i]) ? task : withRuleList(task, changed);
}

/** Names in what a loop goes over. */
export function renameLoop(step: MapTree, name: string, facts: DocumentFacts, journal: Journal): MapTree {
  const loop = fieldOf(step, 'loop');
  if (loop === undefined) return step;
  const changed: Tree = renameNames(loop, { at: 'loop', step: name }, facts, journal);
  return changed === loop ? step : replacedValue(step, 'loop', changed);
}
