import { decidingPolicies } from '../model/deciding-policy.ts';
import type { Playbook, Policy, Step } from '../model/playbook.ts';
import { keysOf } from '../names/provided-names.ts';

/** Keys that may be collected: those of a task of the workbook count at every call. */
const BUDGET = 200_000;

/**
 * The keys of ctx that each step sets, itself or by the tasks of the workbook it calls; of nobody, if they are more than
 * anyone would write.
 */
export function ctxWrites({ workflow, workbook }: Playbook): ReadonlyMap<Step, ReadonlySet<string>> {
  const policyOf = decidingPolicies(workbook);
  const known = new Map<Policy, readonly string[]>();
  const found = new Map<Step, ReadonlySet<string>>();
  let budget = BUDGET;
  for (const step of workflow) {
    const written = new Set<string>();
    for (const policy of new Set(step.tasks.flatMap((task) => policyOf(task) ?? []))) {
      const keys = known.get(policy) ?? keysSet(policy);
      known.set(policy, keys);
      budget -= keys.length;
      if (budget < 0) return new Map();
      for (const key of keys) written.add(key);
    }
    if (written.size > 0) found.set(step, written);
  }
  return found;
}

const keysSet = ({ rules }: Policy): readonly string[] =>
  rules.flatMap(({ then }) => (then.setCtx === undefined ? [] : [...(keysOf(then.setCtx) ?? [])]));
