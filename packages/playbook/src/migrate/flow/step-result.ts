import { tasksOf, withTasks } from '../body/pipeline.ts';
import { withResultStore } from '../body/step-spec.ts';
import { entry, map } from '../tree/build.ts';
import { entryOf, without } from '../tree/edit.ts';
import type { MapTree } from '../tree/tree.ts';
import type { StepFlow } from './step-flow.ts';
import { withFollowing } from './step-pipeline.ts';

/** What a step gives instead of the result of its work, and where its tasks store theirs. */
export function migrateResult(step: MapTree, flow: StepFlow): MapTree {
  const tasks = tasksOf(step).map((task) =>
    entryOf(task.body, 'output') === undefined ? task : { ...task, body: withResultStore(task.body, flow.journal) },
  );
  const stored = withTasks(step, tasks);
  const result = entryOf(stored, 'result');
  if (result?.value.kind !== 'map' || entryOf(stored, 'end_loop') !== undefined) return stored;
  const { at } = result;
  flow.journal.note('step-result', at, "'result' of the step is given by a task behind its work");
  const value = flow.renamed(result.value, 'following', at);
  const task = map(entry('kind', 'noop', at), entry('result', value, at));
  return withFollowing(without(stored, 'result'), 'result', task, at);
}
