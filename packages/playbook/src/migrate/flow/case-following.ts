import { type ConditionText, conjunction, negated } from '../names/condition.ts';
import { entry, map, scalar } from '../tree/build.ts';
import { fieldOf, textOf } from '../tree/edit.ts';
import type { EntryTree, MapTree } from '../tree/tree.ts';
import { actionOf, type CaseEntry } from './case-entry.ts';
import { policyRule, policySpec } from './policy-rule.ts';
import { withSink } from './sink.ts';
import type { StepFlow } from './step-flow.ts';
import { withFollowing } from './step-pipeline.ts';
import { renamedText } from './text-condition.ts';

/** Sinks of `case`: each is a task that runs where its entry is the first that holds. */
export function withSinks(step: MapTree, entries: readonly CaseEntry[], flow: StepFlow): MapTree | undefined {
  const ok = entries.filter(({ condition }) => condition.event === 'success');
  let tree: MapTree | undefined = step;
  for (const [i, one] of ok.entries())
    for (const sink of one.actions.filter(({ key }) => key === 'sink'))
      tree = tree && withSink(tree, sink, guardsOf(one, ok.slice(0, i), flow), flow);
  return tree;
}

/** Other results: tasks behind the sinks, which read the result of the work. */
export function withResults(step: MapTree, entries: readonly CaseEntry[], flow: StepFlow): MapTree | undefined {
  const ok = entries.filter(({ condition }) => condition.event === 'success');
  let tree: MapTree | undefined = step;
  for (const [i, one] of ok.entries()) {
    const result = actionOf(one, 'result');
    if (result !== undefined) tree = tree && withResult(tree, result, guardsOf(one, ok.slice(0, i), flow), flow);
  }
  return tree;
}

/** Whether one of the entries gives another result than the work of the step. */
export const givesAnother = (entries: readonly CaseEntry[], flow: StepFlow): boolean =>
  entries.some((one) => {
    const result = actionOf(one, 'result');
    return result !== undefined && fromText(result, flow) !== PREVIOUS;
  });

const PREVIOUS = '{{ _prev }}';

/** What the result is taken from, as a task behind the work reads it. */
function fromText({ value, at }: EntryTree, flow: StepFlow): string | undefined {
  const from = value.kind === 'map' ? textOf(fieldOf(value, 'from')) : undefined;
  return from === undefined ? undefined : renamedText(`{{ ${from} }}`, 'following', at, flow);
}

/** All of them hold where the entry is the first that does. */
function guardsOf(one: CaseEntry, earlier: readonly CaseEntry[], flow: StepFlow): readonly ConditionText[] {
  const text = ({ condition, at }: CaseEntry): ConditionText =>
    condition.rest === true ? true : renamedText(condition.rest, 'following', at, flow);
  const whole = conjunction([
    text(one),
    ...earlier.filter((other) => !repeats(other)).map((other) => negated(text(other))),
  ]);
  return whole === true ? [] : [whole];
}

/** After a retry nothing else of the entry counts. */
const repeats = (one: CaseEntry): boolean => actionOf(one, 'retry', 'call', 'next_call') !== undefined;

/** `result: { from: response.data }`. */
function withResult(
  step: MapTree,
  result: EntryTree,
  guards: readonly ConditionText[],
  flow: StepFlow,
): MapTree | undefined {
  const { at, value } = result;
  const from = fromText(result, flow);
  if (from === PREVIOUS) {
    flow.journal.note('case-result', at, "'result' is what the step gives anyway");
    return step;
  }
  const given = from === undefined ? flow.renamed(value, 'following', at) : scalar(from);
  flow.journal.note('case-result', at, "'result' is now given by a task behind the step's work");
  const task = map(entry('kind', 'noop', at), entry('result', given, at));
  const skip = guards.map((guard) => policyRule(negated(guard), [entry('do', 'skip', at)], at));
  const rules = [...skip, policyRule(undefined, [entry('do', 'continue', at)], at)];
  const body = skip.length === 0 ? task : map(...task.entries, policySpec(rules, at));
  return withFollowing(step, 'result', body, at);
}
