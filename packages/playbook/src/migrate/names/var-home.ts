import type { DocumentFacts } from '../document-facts.ts';

/** Where a variable lives now. */
export interface VarHome {
  readonly scope: 'ctx' | 'iter';
  readonly key: string;
}

/** What iterations have anyway. */
const OF_ITERATIONS = /^(?:index|parent|_.*)$/;

/**
 * 003: variables live in the execution. 002: in one run of a step, so that in a loop they are the iteration's, and two
 * steps that keep the same name keep it apart, unless one reads what another kept.
 */
export function varHome({ names }: DocumentFacts, step: string | undefined, key: string): VarHome {
  const own = step === undefined ? undefined : names.steps.get(step);
  if (own === undefined || !own.sets.has(key) || names.shared.has(key)) return { scope: 'ctx', key };
  const routed = own.routesBy.has(key) || key === own.iterator || OF_ITERATIONS.test(key);
  if (own.looped && !routed) return { scope: 'iter', key };
  const setters = [...names.steps.values()].filter(({ sets }) => sets.has(key));
  return { scope: 'ctx', key: setters.length > 1 ? `${step}_${key}` : key };
}
