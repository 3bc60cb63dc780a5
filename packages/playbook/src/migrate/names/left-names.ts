import type { StaticPath } from '@noetl/template';
import type { DocumentFacts } from '../document-facts.ts';
import { arcsIn } from '../flow/workflow-graph.ts';
import type { Journal } from '../journal.ts';
import { fieldOf, textOf } from '../tree/edit.ts';
import type { ListTree, MapTree, Tree } from '../tree/tree.ts';
import { isOlder } from './is-older.ts';
import { guardedPaths } from './meaning.ts';
import { keysOf, keysUnder, nameFacts } from './name-facts.ts';
import { parsedTemplate } from './parsed-template.ts';
import { pathText } from './static-path.ts';

/** Older names, and what to do where nothing provides them. */
const ADVICE: Readonly<Record<string, readonly [why: string, hint: string]>> = {
  error: [
    'the failure of another step is known only where that step goes on',
    'Hand it on by the arc that leads here: args: { error: "{{ event.payload.error }}" }.',
  ],
  result: [
    'it was the result of whatever ran before',
    'Name the step: results.<step>; or hand the value on by the arcs that lead here.',
  ],
};
const OTHER = [
  'no name of the language is called that any more',
  'Say what is meant: results.<step>, ctx.<name>, args.<name>, or in a pipeline _prev.',
] as const;
const NAMES: ReadonlySet<string> = new Set([
  'error',
  'last_error',
  'result',
  'response',
  'this',
  'output',
  'vars',
  'loop_index',
]);
/** Code is no template; the others are left of what was refused as a whole. */
const SKIPPED: ReadonlySet<string> = new Set(['code', 'desc', 'retry', 'sink', 'eval']);

/** MIG-1: an older name that is still read although nothing provides it is told, never silent. */
export function reportLeftNames(root: MapTree, facts: DocumentFacts, journal: Journal): void {
  const workflow = fieldOf(root, 'workflow');
  if (workflow?.kind !== 'list' || !isOlder(facts)) return;
  const { steps } = nameFacts(root);
  const kept = new Set([...keysOf(fieldOf(root, 'workload')), ...keysUnder(workflow, 'set_ctx', 'set_iter')]);
  for (const { value: step } of workflow.items) {
    if (step.kind !== 'map') continue;
    const name = textOf(fieldOf(step, 'step')) ?? '';
    const given = new Set([...argsOfArcsTo(name, workflow), ...keysUnder(fieldOf(step, 'tool'), 'args')]);
    const isLeft = (read: StaticPath): boolean =>
      NAMES.has(read.name) &&
      read.name !== facts.steps.get(name)?.iterator &&
      ![steps, kept, given].some((names) => names.has(read.name));
    for (const { key, value, at } of step.entries) if (CHECKED.has(key)) report(value, at, isLeft, journal);
  }
}

/** What arcs hand on belongs to the step that they lead to. */
const argsOfArcsTo = (step: string, workflow: ListTree): readonly string[] =>
  workflow.items
    .flatMap(({ value }) => (value.kind === 'map' ? arcsIn(value) : []))
    .flatMap(({ value: arc }) =>
      arc.kind === 'map' && textOf(fieldOf(arc, 'step')) === step ? keysOf(fieldOf(arc, 'args')) : [],
    );

const CHECKED: ReadonlySet<string> = new Set(['tool', 'loop', 'spec', 'next']);

function report(tree: Tree, at: number, isLeft: (read: StaticPath) => boolean, journal: Journal): void {
  if (tree.kind === 'list') for (const part of tree.items) report(part.value, part.at, isLeft, journal);
  if (tree.kind === 'map')
    for (const { key, value, at: place } of tree.entries) if (!SKIPPED.has(key)) report(value, place, isLeft, journal);
  const text = tree.kind === 'scalar' ? textOf(tree) : undefined;
  if (text === undefined || !text.includes('{') || journal.refusedIn(at)) return;
  const template = parsedTemplate(text);
  if ('message' in template) return;
  const guarded = guardedPaths(text);
  for (const read of template.references().filter(isLeft)) {
    const path = pathText(read.name, read.path);
    const [why, hint] = ADVICE[read.name] ?? OTHER;
    const message = `nothing provides '${read.name}' here: ${why}`;
    if (guarded.has(path))
      journal.note('name-envelope', at, `'${path}' stays: ${message}; the template provides for that`, {
        review: true,
      });
    else journal.problem(at, message, hint);
  }
}
