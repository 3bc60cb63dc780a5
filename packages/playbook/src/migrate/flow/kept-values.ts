import { rulesOf } from '../body/pipeline.ts';
import type { RuleId } from '../rules.ts';
import { entry, map } from '../tree/build.ts';
import { entryOf, without } from '../tree/edit.ts';
import type { EntryTree, MapTree } from '../tree/tree.ts';
import { afterLoop, type Keeping } from './after-loop.ts';
import { policyRule, policySpec } from './policy-rule.ts';
import { readSetValues, type SetValues, setEntries } from './set-values.ts';
import type { StepFlow } from './step-flow.ts';
import { resultTask, withFollowing, withOutcomeRules } from './step-pipeline.ts';
import { IS_OK } from './text-condition.ts';

/** ENG-9: what a step keeps of its result after a success (`vars`, `set`, `set_ctx`) is kept by a rule of its last task. */
export function migrateKept(step: MapTree, ofArcs: readonly EntryTree[], flow: StepFlow): Keeping {
  const found = ['vars', 'set_ctx', 'set'].flatMap((key) => entryOf(step, key) ?? []);
  const read = found.map((clause) => readSetValues(clause, flow));
  if (read.includes(undefined)) return { step, inserted: [] };
  const values: SetValues = {
    ctx: [...read.flatMap((one) => one?.ctx ?? []), ...ofArcs],
    iter: read.flatMap((one) => one?.iter ?? []),
  };
  const bare = without(step, ...found.map(({ key }) => key));
  if (values.ctx.length + values.iter.length === 0) return { step: bare, inserted: [] };
  for (const { key, at } of found)
    flow.journal.note(RULES[key] ?? 'set-ctx', at, `'${key}' is now kept by the policy of a task`);
  for (const { key, at } of ofArcs)
    flow.journal.note('set-ctx', at, `'${key}' is put into ctx before the arc is taken`);
  const at = found[0]?.at ?? ofArcs[0]?.at ?? 0;
  const whole = flow.loops && values.iter.length === 0;
  return whole ? afterLoop(bare, values, at, flow) : { step: keeping(bare, values, at, flow), inserted: [] };
}

const RULES: Readonly<Record<string, RuleId>> = { vars: 'step-vars' };

/** In a rule of the last task, or in a task of its own where that has rules of its own. */
function keeping(step: MapTree, values: SetValues, at: number, flow: StepFlow): MapTree {
  const last = resultTask(step);
  if (last === undefined || rulesOf(last.body).length === 0) {
    const then = [entry('do', 'continue', at), ...setEntries(values, 'policy', at, flow)];
    return withOutcomeRules(step, [policyRule(IS_OK, then, at)]);
  }
  const then = [entry('do', 'skip', at), ...setEntries(values, 'following', at, flow)];
  const task = map(entry('kind', 'noop', at), policySpec([policyRule(undefined, then, at)], at));
  return withFollowing(step, 'keep', task, at);
}
