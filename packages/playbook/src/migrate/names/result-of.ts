import type { DocumentFacts } from '../document-facts.ts';
import type { RuleId } from '../rules.ts';
import { renamed } from './renamed.ts';
import { currentPath, type Key, type ResultShape } from './result-shape.ts';
import type { Replacement } from './rewrite-template.ts';
import type { Use } from './use.ts';

const UNKNOWN: ResultShape = { kind: undefined, looped: false, listed: false, unwrapped: false, code: undefined };

/** What is known of the result of a step. */
export const shapeOf = (facts: DocumentFacts, step: string): ResultShape => facts.names.steps.get(step) ?? UNKNOWN;

/**
 * What is read of the result of a step. `name`: how it is named already, if that name may stay; a template that reads
 * what is there is left alone then.
 */
export function resultOf(
  facts: DocumentFacts,
  step: string,
  name: string | undefined,
  path: readonly Key[],
  use: Use,
  rule: RuleId = 'name-result',
): Replacement | undefined {
  return resultAt(
    shapeOf(facts, step),
    { name, text: name ?? 'results', inside: name === undefined ? [step] : [] },
    path,
    use,
    rule,
  );
}

/** Where a result is found: `results` and the step inside of it, `outcome` and `result`, or `_prev`. */
export interface ResultPlace {
  /** The name by which the template reads it already. */
  readonly name?: string | undefined;
  readonly text: string;
  readonly inside: readonly Key[];
}

export function resultAt(
  shape: ResultShape,
  place: ResultPlace,
  path: readonly Key[],
  use: Use,
  rule: RuleId,
): Replacement | undefined {
  const current = currentPath(shape, path, use);
  if ('problem' in current) return current;
  const same = current.path.length === path.length && current.path.every((key, i) => key === path[i]);
  if (same && place.name !== undefined) return undefined;
  const named = place.name === undefined ? rule : 'name-envelope';
  return renamed(named, place.text, [...place.inside, ...current.path], path, current.review);
}
