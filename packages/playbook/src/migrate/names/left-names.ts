import type { StaticPath } from '@noetl/template';
import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { fieldOf, textOf } from '../tree/edit.ts';
import type { MapTree, Tree } from '../tree/tree.ts';
import { isOlder } from './is-older.ts';
import { guardedPaths } from './meaning.ts';
import { nameFacts } from './name-facts.ts';
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
  const { given, own, steps } = nameFacts(root);
  const isLeft = ({ name }: StaticPath): boolean =>
    NAMES.has(name) && !given.has(name) && !own.has(name) && !steps.has(name);
  for (const { value: step } of workflow.items) {
    if (step.kind !== 'map') continue;
    const iterator = facts.steps.get(textOf(fieldOf(step, 'step')) ?? '')?.iterator;
    for (const { key, value, at } of step.entries)
      if (CHECKED.has(key)) report(value, at, (read) => read.name !== iterator && isLeft(read), journal);
  }
}

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
