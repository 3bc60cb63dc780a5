import { assignmentOf } from '../execution/assignment.ts';
import type { EventOf } from '../execution/event.ts';
import { workOf } from '../execution/evolve-work.ts';
import type { Plan } from '../execution/plan.ts';
import type { ExecutionState } from '../execution/state.ts';
import { assignedFrame, unloadedParts } from '../pipeline/assigned-frame.ts';
import { currentTask, policyParts } from '../pipeline/frame.ts';
import { tagKey } from '../result-reference.ts';
import type { KnownValues } from '../scope/known-values.ts';
import { conditionText } from '../scope/reads.ts';
import { conditionReads } from './condition-reads.ts';
import type { Asked, Explanation } from './explanation.ts';
import type { ReferencedValues } from './referenced-values.ts';
import { ruleVerdict, wasAsked } from './rule-verdict.ts';

/** ENG-10: the rules of a task, and which of them took its outcome; undefined for a task that has none. */
export function explainPolicy(
  plan: Plan,
  state: ExecutionState,
  event: EventOf<'task.done'>,
  values: ReferencedValues,
  known: KnownValues,
): Explanation | undefined {
  const { step, outcome, directive, next } = event.payload;
  const assignment = assignmentOf(state, workOf(event));
  if (assignment === undefined) return undefined;
  // What is not known stands for itself: a reference is told as one.
  const unloaded = unloadedParts(assignment, known).map((tagged) => [tagKey(tagged), { value: tagged }] as const);
  const frame = assignedFrame(plan, assignment, new Map([...known, ...unloaded]), {});
  if (frame.tasks[assignment.pipeline.position] === undefined) return undefined;
  const current = currentTask(frame, assignment.pipeline);
  const { policy, label } = current.task;
  if (policy === undefined) return undefined;
  const parts = policyParts(frame, assignment.pipeline, current, outcome);
  const { rule } = directive;
  const decided =
    rule === 'default' ? { failed: directive.asked } : { by: rule === 'unmatched' ? ('none' as const) : rule };
  const conditions = policy.rules.map(({ when, then }, index): Asked => {
    const verdict = ruleVerdict(index, decided);
    return {
      index,
      ...(when === undefined ? {} : { when: conditionText(when) }),
      verdict,
      leads_to: then.do,
      ...(when !== undefined && wasAsked(verdict) ? conditionReads(when, parts, values) : {}),
      ...(verdict === 'error' && next.kind === 'failed' ? { error: next.error } : {}),
    };
  });
  const decision = rule === 'default' ? 'error' : directive.do;
  return { about: 'policy', step, task: label, decision, by: rule, conditions };
}
