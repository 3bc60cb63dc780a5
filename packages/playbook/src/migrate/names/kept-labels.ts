import type { DocumentFacts } from '../document-facts.ts';
import { entryOf, fieldOf, textOf, without } from '../tree/edit.ts';
import type { EntryTree, MapTree, Tree } from '../tree/tree.ts';
import { isOlder } from './is-older.ts';
import { referencesIn } from './name-facts.ts';

/** A task of a pipeline, as far as its label is concerned. */
interface Labelled {
  readonly label: string;
  readonly body: MapTree;
}

/**
 * The tasks whose results are read by their labels where they are not at hand any more: in an older pipeline every task
 * could be read, now only the one before, as `_prev`.
 */
export function keptLabels(tasks: readonly Labelled[], step: string, facts: DocumentFacts): ReadonlySet<string> {
  const kept = new Set<string>();
  if (!isOlder(facts)) return kept;
  const { given, steps } = facts.names;
  const labels = tasks.map(({ label }) => label).filter((label) => !given.has(label) && !steps.has(label));
  const targets = new Set(tasks.flatMap(({ body }) => jumpTargets(body)));
  tasks.forEach(({ label, body }, i) => {
    const before = tasks.slice(0, i).map((task) => task.label);
    // In its rules, and where a jump leads to it, another result than that of the task before may be at hand.
    const atHand = targets.has(label) ? undefined : before.at(-1);
    for (const { name } of referencesIn(without(body, 'spec', 'code')))
      if (name !== atHand && before.includes(name)) kept.add(name);
    for (const { name } of referencesIn(fieldOf(body, 'spec'))) if (before.includes(name)) kept.add(name);
  });
  for (const label of labelsRead(facts, step)) if (label !== tasks.at(-1)?.label) kept.add(label);
  return new Set(labels.filter((label) => kept.has(label)));
}

/** Labels that are read by the name of the step: `fetch.results.parse`. */
const labelsRead = ({ names }: DocumentFacts, step: string): ReadonlySet<string> =>
  names.steps.get(step)?.labelsRead ?? NONE;

const NONE: ReadonlySet<string> = new Set();

const jumpTargets = (tree: Tree): readonly string[] =>
  entriesBelow(tree).flatMap((part) => (part.key === 'to' ? [textOf(part.value) ?? ''] : []));

function entriesBelow(tree: Tree): readonly EntryTree[] {
  if (tree.kind === 'scalar') return [];
  if (tree.kind === 'list') return tree.items.flatMap(({ value }) => entriesBelow(value));
  return tree.entries.flatMap((part) => [part, ...entriesBelow(part.value)]);
}

/** Whether a task decides itself what follows. */
export function hasPolicy(task: MapTree): boolean {
  const spec = fieldOf(task, 'spec');
  return spec?.kind === 'map' && entryOf(spec, 'policy') !== undefined;
}
