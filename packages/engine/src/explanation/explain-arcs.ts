import type { EventOf } from '../execution/event.ts';
import { boundaryView } from '../execution/evolve.ts';
import type { Plan } from '../execution/plan.ts';
import type { Boundary, ExecutionState } from '../execution/state.ts';
import { conditionText } from '../scope/reads.ts';
import type { ScopeParts } from '../scope/template-scope.ts';
import { conditionReads, recordedReads } from './condition-reads.ts';
import type { Asked, Explanation } from './explanation.ts';
import type { ReferencedValues } from './referenced-values.ts';
import { wasAsked } from './rule-verdict.ts';
import { serverParts } from './server-parts.ts';

/** ENG-4: every arc of a step that ended, with its verdict. */
export function explainArcs(
  plan: Plan,
  state: ExecutionState,
  { payload }: EventOf<'next.evaluated'>,
  values: ReferencedValues,
): Explanation | undefined {
  const { step, arcs, boundary } = payload;
  if (arcs.length === 0) return undefined;
  const defined = plan.steps.get(step)?.router?.arcs ?? [];
  const ended = boundaryOf(state, boundary.event_id);
  const parts: ScopeParts | undefined = ended && {
    ...serverParts(plan, state, ended.args),
    event: boundaryView(ended),
  };
  const conditions = arcs.map(({ step: target, when, verdict, reads, error }, index): Asked => {
    const condition = defined[index]?.step === target ? defined[index]?.when : undefined;
    // Where there were many, an event has no room for all of them.
    const text = when ?? (condition && conditionText(condition));
    const found =
      reads !== undefined
        ? recordedReads(condition, reads)
        : condition !== undefined && parts !== undefined && wasAsked(verdict)
          ? conditionReads(condition, parts, values)
          : {};
    return {
      index,
      ...(text === undefined ? {} : { when: text }),
      verdict,
      leads_to: target,
      ...found,
      ...(error === undefined ? {} : { error }),
    };
  });
  const taken = conditions.some(({ verdict }) => verdict === 'matched');
  const failed = conditions.some(({ verdict }) => verdict === 'error');
  return { about: 'arcs', step, decision: failed ? 'error' : taken ? 'taken' : 'end', conditions };
}

function boundaryOf({ owed }: ExecutionState, id: string): Boundary | undefined {
  const found = owed.find((entry) => entry.kind === 'route' && entry.boundary.event_id === id);
  return found?.kind === 'route' ? found.boundary : undefined;
}
