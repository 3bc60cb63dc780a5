import { tasksOf, withTasks } from '../body/pipeline.ts';
import { scalar } from '../tree/build.ts';
import { entryOf, fieldOf, revalued, textOf, without } from '../tree/edit.ts';
import type { EntryTree, ItemTree, MapTree } from '../tree/tree.ts';
import { migratePaging } from './paging.ts';
import { policyRule } from './policy-rule.ts';
import { BACKOFF_KEYS, retryThen } from './retry-backoff.ts';
import { RETRY_CONDITION_KEYS, retryCondition } from './retry-condition.ts';
import type { StepFlow } from './step-flow.ts';
import { withTaskRules } from './step-pipeline.ts';

/** ENG-10: retries of a step or of a task are rules of the task. */
export function migrateRetry(step: MapTree, flow: StepFlow): MapTree {
  return ofStep(ofTasks(step, flow), flow);
}

const ofTasks = (step: MapTree, flow: StepFlow): MapTree =>
  withTasks(
    step,
    tasksOf(step).map((task) => ({ ...task, body: migrateTaskRetry(task.body, flow) })),
  );

/** The same of one task, which may be one of the workbook. */
export function migrateTaskRetry(task: MapTree, flow: StepFlow): MapTree {
  const retry = entryOf(task, 'retry');
  const rules = retry && retryRules(retry, task, flow);
  return rules === undefined ? task : withTaskRules(without(task, 'retry'), rules);
}

function ofStep(step: MapTree, flow: StepFlow): MapTree {
  const retry = entryOf(step, 'retry');
  if (retry === undefined) return step;
  const [task, ...more] = tasksOf(step);
  if (task === undefined || more.length > 0) {
    flow.journal.problem(
      retry.at,
      task === undefined
        ? "the step has 'retry' and no work that could be tried again"
        : "the step has 'retry' and several tasks, and which of them are tried again cannot be told",
      "Move 'retry' into the task that it is for, then migrate.",
    );
    return step;
  }
  const paging = retry.value.kind === 'map' ? entryOf(retry.value, 'on_success') : undefined;
  const failure = paging === undefined ? retry : onError(retry);
  const rules = failure && retryRules(failure, task.body, flow);
  if (failure !== undefined && rules === undefined) return step;
  const bare = without(step, 'retry');
  if (paging !== undefined) return flow.journal.attempt(() => migratePaging(bare, paging, rules ?? [], flow)) ?? step;
  return rules === undefined ? step : withTasks(bare, [{ ...task, body: withTaskRules(task.body, rules) }]);
}

/** What is left of a retry clause beside `on_success`. */
function onError(retry: EntryTree): EntryTree | undefined {
  const tree = retry.value.kind === 'map' ? without(retry.value, 'on_success') : retry.value;
  return tree.kind === 'map' && tree.entries.length === 0 ? undefined : revalued(retry, tree);
}

/** The rule of a retry clause; undefined, with a problem, where it cannot be told. */
function retryRules(retry: EntryTree, task: MapTree, flow: StepFlow): readonly ItemTree[] | undefined {
  const { value, at } = retry;
  const { journal } = flow;
  if (value.kind === 'scalar' && (value.value === false || value.value === null)) {
    journal.note('retry-rule', at, "'retry' asked for nothing and is left out");
    return [];
  }
  const clause = clauseOf(retry, flow);
  if (clause === undefined) return undefined;
  const condition = retryCondition(clause, textOf(fieldOf(task, 'kind')), flow);
  const then = retryThen(clause, at, flow);
  if (condition === undefined || then === undefined) return undefined;
  journal.note('retry-rule', at, "'retry' is now a rule of the task; what is left of errors fails");
  const written = entryOf(clause, 'retry_when') ?? entryOf(clause, 'stop_when') ?? entryOf(clause, 'when');
  return [policyRule(written === undefined ? condition : revalued(written, scalar(condition)), then, at)];
}

/** `retry: { … }`, `retry: { on_error: { … } }`, `retry: 3`. */
function clauseOf(retry: EntryTree, flow: StepFlow): MapTree | undefined {
  const { value, at } = retry;
  const inner = value.kind === 'map' ? fieldOf(value, 'on_error') : undefined;
  const clause = inner ?? value;
  const other =
    clause.kind === 'map'
      ? clause.entries.find(({ key }) => !BACKOFF_KEYS.includes(key) && !RETRY_CONDITION_KEYS.includes(key))
      : undefined;
  const beside =
    inner === undefined || value.kind !== 'map' ? undefined : value.entries.find(({ key }) => key !== 'on_error');
  const strange = other ?? beside;
  if (clause.kind !== 'map' || strange !== undefined) {
    flow.journal.problem(
      strange?.at ?? at,
      strange === undefined ? "'retry' is no mapping" : `'retry' has '${strange.key}'`,
      'Write retry as { max_attempts, initial_delay, backoff_multiplier, retry_when }, then migrate.',
    );
    return undefined;
  }
  return clause;
}
