import type { ExecutionEvent } from '../execution/event.ts';
import type { Plan } from '../execution/plan.ts';
import type { ExecutionState } from '../execution/state.ts';
import type { Tagged } from '../result-reference.ts';
import { type KnownValues, noKnownValues } from '../scope/known-values.ts';
import { explainAdmission } from './explain-admission.ts';
import { explainArcs } from './explain-arcs.ts';
import { explainPolicy } from './explain-policy.ts';
import type { Explanation } from './explanation.ts';
import { type ReferencedValues, referencedValues } from './referenced-values.ts';

export interface Explained {
  /** Undefined for an event behind which no condition stands. */
  readonly explanation: Explanation | undefined;
  /** References that conditions read, and whose values would tell more. */
  readonly wanted: readonly Tagged[];
}

/**
 * Why an event says what it says: for every admission, arc and rule the expression, the values it read, the verdict. The
 * state is that of the log up to the event; nothing is decided again.
 */
export function explain(
  plan: Plan,
  state: ExecutionState,
  event: ExecutionEvent,
  known: KnownValues = noKnownValues,
): Explained {
  const values = referencedValues(known);
  const explanation = explanationOf(plan, state, event, values, known);
  return { explanation, wanted: [...values.wanted.values()] };
}

function explanationOf(
  plan: Plan,
  state: ExecutionState,
  event: ExecutionEvent,
  values: ReferencedValues,
  known: KnownValues,
): Explanation | undefined {
  switch (event.name) {
    case 'step.scheduled':
    case 'step.skipped':
    case 'step.failed':
      return explainAdmission(plan, state, event, values);
    case 'next.evaluated':
      return explainArcs(plan, state, event, values);
    case 'task.done':
      return explainPolicy(plan, state, event, values, known);
    default:
      return undefined;
  }
}
