import type { Journal } from '../journal.ts';
import { entryOf, without } from '../tree/edit.ts';
import type { EntryTree, MapTree } from '../tree/tree.ts';
import { tasksOf, withTasks } from './pipeline.ts';
import { isNothing, withArgs } from './task-rule.ts';

/** Values that a step gave to its work: they are args of its tasks; what a task says itself wins. */
export function migrateStepArgs(step: MapTree, journal: Journal): MapTree {
  return ['args', 'input', 'with'].reduce((changed, key) => {
    const args = entryOf(changed, key);
    return args === undefined ? changed : moved(changed, args, journal);
  }, step);
}

function moved(step: MapTree, args: EntryTree, journal: Journal): MapTree {
  const tasks = tasksOf(step);
  if (isNothing(args.value) || tasks.length === 0) {
    const why = isNothing(args.value) ? 'it is empty' : 'the step does no work that could read it';
    journal.note('task-args', args.at, `'${args.key}' is left out: ${why}`);
    return without(step, args.key);
  }
  const given = tasks.map((task) => ({ task, body: withArgs(task.body, args) }));
  if (given.some(({ body }) => body === undefined)) {
    journal.problem(
      args.at,
      `'${args.key}' of the step and of its task cannot be put together: one of them is no mapping`,
      'Write one mapping: args: { name: value }.',
    );
    return step;
  }
  const several = tasks.length > 1;
  journal.note('task-args', args.at, `'${args.key}' becomes 'args' of ${several ? 'each task' : 'the task'}`, {
    review: several,
  });
  return withTasks(
    without(step, args.key),
    given.map(({ task, body }) => ({ ...task, body: body ?? task.body })),
  );
}
