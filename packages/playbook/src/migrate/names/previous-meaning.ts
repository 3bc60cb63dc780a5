import type { StaticPath } from '@noetl/template';
import type { DocumentFacts } from '../document-facts.ts';
import { ownLabel } from './kept-labels.ts';
import { renamed } from './renamed.ts';
import { resultAt, resultOf, shapeOf } from './result-of.ts';
import type { Key } from './result-shape.ts';
import type { Replacement, Rewrite } from './rewrite-template.ts';
import type { Site, TaskBefore } from './site.ts';
import type { Use } from './use.ts';

const RESULTS: ReadonlySet<string> = new Set(['result', 'response', 'data']);
const OUTCOMES: ReadonlySet<string> = new Set(['this', 'output', 'outcome']);
const RESULT_KEYS: ReadonlySet<Key> = new Set(['data', 'result', 'response']);

/** In a task: what the one before it gave is `_prev`. */
export function previousMeaning(site: Extract<Site, { at: 'following' | 'task' }>, facts: DocumentFacts): Rewrite {
  return site.at === 'following' ? behind(site, facts) : inPipeline(site, facts);
}

/** Behind the task whose result is meant. */
function behind(site: Extract<Site, { at: 'following' }>, facts: DocumentFacts): Rewrite {
  const own = shapeOf(facts, site.step);
  const shape = { ...own, kind: site.kind ?? own.kind, looped: false };
  return {
    reference: ({ name, path }: StaticPath, use: Use): Replacement | undefined => {
      const [head, ...rest] = path;
      if (RESULTS.has(name) || name === site.step) return resultAt(shape, PREVIOUS, path, use, 'name-prev');
      if (!OUTCOMES.has(name)) return undefined;
      if (head === 'status' && rest.length === 0)
        return { text: "'success'", rule: 'name-prev', review: RUNS_AFTER_SUCCESS };
      if (head === undefined || !RESULT_KEYS.has(head)) return resultAt(shape, PREVIOUS, path, use, 'name-prev');
      const found = resultAt(shape, PREVIOUS, rest, use, 'name-prev');
      return found !== undefined && 'text' in found ? { ...found, covers: (found.covers ?? rest.length) + 1 } : found;
    },
  };
}

const PREVIOUS = { text: '_prev', inside: [] } as const;
const RUNS_AFTER_SUCCESS = 'it runs only where the task before it succeeded';

/** In a task of its own: tasks before it by their labels, the result of the step before it. */
function inPipeline(site: Extract<Site, { at: 'task' }>, facts: DocumentFacts): Rewrite {
  const { before = [], step } = site;
  const labels = labelMeaning(before, facts);
  const ownLabels = ownLabelMeaning(step, before, facts);
  return {
    reference: (reference: StaticPath, use: Use): Replacement | undefined => {
      const { names } = facts;
      const { name, path } = reference;
      if (name === 'input') return renamed('name-args', 'args', path, path);
      const labelled = ownLabels.reference?.(reference, use) ?? labels.reference?.(reference, use);
      if (labelled !== undefined) return labelled;
      const [only, ...others] = names.steps.get(step)?.before ?? [];
      const taken = names.given.has(name) || names.own.has(name) || names.steps.has(name);
      if (taken) return undefined;
      if (name !== 'result') return undefined;
      if (only === undefined || others.length > 0 || before.length > 0) return undefined;
      const found = resultOf(facts, only, undefined, path, use);
      return found !== undefined && 'text' in found ? { ...found, review: LAST_RESULT } : found;
    },
  };
}

/** Tasks in front by their labels: where their results are kept, or `_prev` of the one before. */
export function labelMeaning(before: readonly TaskBefore[], { names }: DocumentFacts): Rewrite {
  return {
    reference: ({ name, path }: StaticPath, use: Use): Replacement | undefined =>
      names.steps.has(name) || names.given.has(name) ? undefined : resultOfTask(before, name, path, use),
  };
}

/** The same by the name of the step that they are tasks of: `fetch_page.fetch`. */
export function ownLabelMeaning(step: string, before: readonly TaskBefore[], facts: DocumentFacts): Rewrite {
  return {
    reference: ({ name, path }: StaticPath, use: Use): Replacement | undefined => {
      const label = ownLabel(name, path, step, facts);
      if (label === undefined) return undefined;
      const rest = path.slice(1);
      const found = resultOfTask(before, label, rest, use);
      if (found === undefined) return notAtHand(step, label);
      return 'text' in found ? { ...found, covers: (found.covers ?? rest.length) + 1 } : found;
    },
  };
}

function resultOfTask(
  before: readonly TaskBefore[],
  label: string,
  path: readonly Key[],
  use: Use,
): Replacement | undefined {
  const task = before.findLast((one) => one.label === label);
  if (task === undefined || (task.home === undefined && task !== before.at(-1))) return undefined;
  const { home, kind } = task;
  const place = home === undefined ? PREVIOUS : { text: home.scope, inside: [home.key] };
  return resultAt({ ...UNSEEN, kind }, place, path, use, home === undefined ? 'name-prev' : 'label-kept');
}

const notAtHand = (step: string, label: string): Replacement => ({
  problem: `the result of the task '${label}' is not at hand where '${step}.${label}' is read`,
  hint: 'Keep it by a rule of that task: set_ctx, or set_iter in a loop, under a name that nothing else has.',
  absent: 'none',
});

const UNSEEN = { looped: false, listed: false, unwrapped: false, code: undefined } as const;
const LAST_RESULT = "'result' is taken for the result of the only step that leads here";
