import { newTask, tasksOf, withTasks } from '../body/pipeline.ts';
import { renameNames } from '../names/rename-names.ts';
import { entry, map } from '../tree/build.ts';
import { entryOf, rekeyed, textOf, without } from '../tree/edit.ts';
import type { MapTree } from '../tree/tree.ts';
import { policyRule, policySpec } from './policy-rule.ts';
import type { StepFlow } from './step-flow.ts';

/**
 * Seed 004 §6.2: the step that closes a loop gives what is made of its results, and publishes each part of it by name. Its
 * `end_loop` stays until the workflow as a whole is looked at: the steps between the loop and it are the loop's body.
 */
export function migrateEndLoop(step: MapTree, flow: StepFlow): MapTree {
  const end = entryOf(step, 'end_loop');
  if (end === undefined) return step;
  const result = entryOf(step, 'result');
  const { at } = result ?? end;
  if (textOf(end.value) === undefined || tasksOf(step).length > 0) {
    flow.journal.problem(
      end.at,
      textOf(end.value) === undefined ? "'end_loop' names no step" : "a step with 'end_loop' does work of its own",
      'Put the work into a step of its own behind it, then migrate.',
    );
    return step;
  }
  if (result === undefined) return step;
  const value = renameNames(result.value, { at: 'task', step: flow.name }, flow.facts, flow.journal, at);
  const keys = value.kind === 'map' ? value.entries.map(({ key }) => key) : [];
  const kept = map(...keys.map((key) => entry(key, `{{ outcome.result.${key} }}`, at)));
  const rule = policyRule(undefined, [entry('do', 'continue', at), entry('set_ctx', kept, at)], at);
  flow.journal.note(
    'end-loop',
    at,
    "'result' of the end of the loop is a task that gives it, and keeps each part in ctx",
  );
  const task = map(
    entry('kind', 'noop', at),
    { ...rekeyed(result, 'result'), value, slice: undefined },
    ...(keys.length === 0 ? [] : [policySpec([rule], at)]),
  );
  return withTasks(without(step, 'result'), [newTask('result', task, at)]);
}
