import { put } from '../body/pipeline.ts';
import { entry, list, map } from '../tree/build.ts';
import { entryOf, fieldOf, revalued, withEntry, without } from '../tree/edit.ts';
import type { MapTree } from '../tree/tree.ts';
import { conditionEntry } from './condition-entry.ts';
import { policyRule } from './policy-rule.ts';
import type { StepFlow } from './step-flow.ts';

/** ENG-3: seed 002's `step.when`, the guard of a step, is its admission: what it does not allow is denied. */
export function migrateGuard(step: MapTree, flow: StepFlow): MapTree {
  const guard = entryOf(step, 'when');
  if (guard === undefined) return step;
  const condition = conditionEntry(guard, flow);
  const spec = fieldOf(step, 'spec');
  const policy = spec?.kind === 'map' ? fieldOf(spec, 'policy') : undefined;
  if (condition === undefined) return step;
  if (policy?.kind === 'map' && entryOf(policy, 'admit') !== undefined) {
    flow.journal.problem(
      guard.at,
      "the step has 'when' and an admission of its own",
      'Join both in spec.policy.admit.rules, then migrate.',
    );
    return step;
  }
  const { at } = guard;
  const when = revalued(condition, flow.condition(condition.value, 'admission', at));
  const rules = list(
    policyRule(when, [entry('allow', true, at)], at),
    policyRule(undefined, [entry('allow', false, at)], at),
  );
  flow.journal.note('step-when', at, "'when' of the step is now its admission: spec.policy.admit.rules");
  const admit = map(entry('rules', rules, at));
  const within = put(policy?.kind === 'map' ? policy : map(), 'admit', admit, at);
  return withSpec(without(step, 'when'), put(spec?.kind === 'map' ? spec : map(), 'policy', within, at), at);
}

/** The step with this `spec` where one stood, else behind its name and description; without it if it is empty. */
export function withSpec(step: MapTree, spec: MapTree, at: number): MapTree {
  if (spec.entries.length === 0) return without(step, 'spec');
  if (entryOf(step, 'spec') !== undefined) return put(step, 'spec', spec, at);
  return withEntry(step, entry('spec', spec, at), { after: entryOf(step, 'desc') === undefined ? 'step' : 'desc' });
}
