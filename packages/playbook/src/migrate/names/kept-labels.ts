import type { Reference } from '@noetl/template';
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
    const read = (tree: Tree | undefined) => referencesIn(tree).map((one) => labelOf(one, step, before, facts));
    for (const name of read(without(body, 'spec', 'code'))) if (name !== undefined && name !== atHand) kept.add(name);
    for (const name of read(fieldOf(body, 'spec'))) if (name !== undefined) kept.add(name);
  });
  for (const label of labelsRead(facts, step)) if (label !== tasks.at(-1)?.label) kept.add(label);
  return new Set(labels.filter((label) => kept.has(label)));
}

/** The task in front that is read by its label alone, or by that of its step and its own: `fetch_page.fetch`. */
function labelOf(
  { name, path }: Reference,
  step: string,
  before: readonly string[],
  facts: DocumentFacts,
): string | undefined {
  const label = ownLabel(name, path, step, facts) ?? name;
  return before.includes(label) ? label : undefined;
}

/** `fetch` of `fetch_page.fetch`, inside of the step `fetch_page`, which has no result yet that it could be a field of. */
export function ownLabel(
  name: string,
  [head]: readonly (string | number)[],
  step: string,
  { names }: DocumentFacts,
): string | undefined {
  const own = name === step && !names.given.has(name) && typeof head === 'string';
  return own && names.steps.get(step)?.labels.includes(head) === true ? head : undefined;
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
