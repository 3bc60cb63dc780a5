import type { Json } from '@noetl/playbook';
import { isTooDeep, tooDeepMessage } from '../nesting.ts';
import { failure, type OutcomeError, templateFailure } from '../outcome.ts';
import { escapeTags } from '../result-reference.ts';
import { UnreadableValue } from './known-values.ts';
import { PlacedTemplateError } from './placed-template-error.ts';

/** What came of evaluating: a value, or why there is none. Never both, never an exception. */
export type Evaluated<T> = { readonly value: T } | { readonly error: OutcomeError };

/** TPL-4: a value, or why templates could not give it. */
export function attempt<T>(body: () => T): Evaluated<T> {
  try {
    return { value: body() };
  } catch (error) {
    if (error instanceof PlacedTemplateError) return { error: templateFailure(error.cause, error.place) };
    if (error instanceof UnreadableValue) return { error: failure('template', error.message) };
    if (error instanceof DeepValue) return { error: failure('limit.depth', error.message) };
    throw error;
  }
}

class DeepValue extends Error {
  override name = 'DeepValue';
}

/** What a template gave, as tools may get it. Throws what `attempt` takes. */
export function bounded<T extends Json>(value: T): T {
  if (isTooDeep(value)) throw new DeepValue(tooDeepMessage('what a template gives'));
  return value;
}

/** What a template gave, as events and state may hold it: no data can look like a reference. */
export const leaving = (value: Json): Json => escapeTags(bounded(value));
