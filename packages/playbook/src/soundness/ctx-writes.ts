import { decidingPolicies } from '../model/deciding-policy.ts';
import type { Playbook, Policy, Step } from '../model/playbook.ts';
import { keysOf } from '../names/provided-names.ts';

/** Keys that may be collected: those of a task of the workbook count at every call. */
const BUDGET = 200_000;

/** `set` replaces what was there (set_ctx); `fold` adds to it in any order (set_shared). */
type CtxWrite = 'set' | 'fold';

/** The keys of ctx that a step writes, and how. */
export type CtxWrites = ReadonlyMap<string, CtxWrite>;

/**
 * What each step writes, itself or by the tasks of the workbook it calls; of nobody, if that is more than anyone would
 * write.
 */
export function ctxWrites({ workflow, workbook }: Playbook): ReadonlyMap<Step, CtxWrites> {
  const policyOf = decidingPolicies(workbook);
  const known = new Map<Policy, CtxWrites>();
  const found = new Map<Step, CtxWrites>();
  let budget = BUDGET;
  for (const step of workflow) {
    const written = new Map<string, CtxWrite>();
    for (const policy of new Set(step.tasks.flatMap((task) => policyOf(task) ?? []))) {
      const writes = known.get(policy) ?? writesOf(policy);
      known.set(policy, writes);
      budget -= writes.size;
      if (budget < 0) return new Map();
      for (const [key, write] of writes) if (written.get(key) !== 'set') written.set(key, write);
    }
    if (written.size > 0) found.set(step, written);
  }
  return found;
}

function writesOf({ rules }: Policy): CtxWrites {
  const shared = rules.flatMap(({ then }) => then.setShared.map(({ key }) => [key, 'fold'] as const));
  const set = rules.flatMap(({ then }) => [...((then.setCtx && keysOf(then.setCtx)) ?? [])]);
  return new Map<string, CtxWrite>([...shared, ...set.map((key) => [key, 'set'] as const)]);
}
