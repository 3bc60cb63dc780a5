import { type ConditionText, conjunction } from '../names/condition.ts';
import { entry } from '../tree/build.ts';
import { below } from '../tree/edit.ts';
import type { EntryTree, ItemTree } from '../tree/tree.ts';
import { actionOf, type CaseEntry } from './case-entry.ts';
import { policyRule } from './policy-rule.ts';
import { BACKOFF_KEYS, retryThen } from './retry-backoff.ts';
import { readSetValues, setEntries } from './set-values.ts';
import type { StepFlow } from './step-flow.ts';
import { IS_ERROR, IS_OK, renamedText } from './text-condition.ts';

/**
 * The rules that entries of `case` become: retries, failures and what is kept. Where such a rule comes after entries that
 * do something else they have a rule too, so that the first that holds still wins.
 */
export function caseRules(entries: readonly CaseEntry[], flow: StepFlow): readonly ItemTree[] | undefined {
  const rules: ItemTree[] = [];
  for (const [i, one] of entries.entries()) {
    const later = entries.slice(i + 1).filter(({ condition }) => condition.event === one.condition.event);
    if (!decides(one) && !later.some(decides)) continue;
    const then = thenOf(one, flow);
    if (then === undefined) return undefined;
    if (decides(one)) flow.journal.note('case-rules', one.at, `the entry of 'case' is now a rule of the task`);
    const rule = policyRule(ruleCondition(one, flow), then, one.at);
    // What goes on somewhere keeps its comments there.
    rules.push(actionOf(one, 'next') === undefined ? below(rule, one.above) : rule);
  }
  return rules;
}

const decides = (one: CaseEntry): boolean => actionOf(one, 'retry', 'set', 'vars', 'fail') !== undefined;

function ruleCondition({ condition, at }: CaseEntry, flow: StepFlow): ConditionText {
  const status = condition.event === 'failure' ? IS_ERROR : IS_OK;
  return condition.rest === true ? status : conjunction([status, renamedText(condition.rest, 'policy', at, flow)]);
}

function thenOf(one: CaseEntry, flow: StepFlow): readonly EntryTree[] | undefined {
  const retry = actionOf(one, 'retry');
  const directive = retry === undefined ? plainThen(one, flow) : retryOf(retry, flow);
  const kept: EntryTree[] = [];
  for (const action of one.actions.filter(({ key }) => key === 'set' || key === 'vars')) {
    const values = readSetValues(action, flow);
    if (values === undefined) return undefined;
    kept.push(...setEntries(values, 'policy', action.at, flow));
  }
  return directive && [...directive, ...kept];
}

function plainThen(one: CaseEntry, { journal }: StepFlow): readonly EntryTree[] {
  const fail = actionOf(one, 'fail');
  if (fail !== undefined && fail.value.kind !== 'scalar')
    journal.note('case-rules', fail.at, "'fail' is now do: fail, which has no message of its own", { review: true });
  const failing = fail !== undefined || one.condition.event === 'failure';
  return [entry('do', failing ? 'fail' : 'continue', one.at)];
}

function retryOf(retry: EntryTree, flow: StepFlow): readonly EntryTree[] | undefined {
  if (retry.value.kind !== 'map') return [entry('do', 'retry', retry.at)];
  const strange = retry.value.entries.find(({ key }) => !BACKOFF_KEYS.includes(key));
  if (strange === undefined) return retryThen(retry.value, retry.at, flow);
  flow.journal.problem(
    strange.at,
    `'retry' of an entry of 'case' has '${strange.key}'`,
    'Write retry as { max_attempts, initial_delay, backoff_multiplier, max_delay }, then migrate.',
  );
  return undefined;
}
