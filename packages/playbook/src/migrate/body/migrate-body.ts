import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { entryOf, fieldOf, textOf } from '../tree/edit.ts';
import type { MapTree } from '../tree/tree.ts';
import { renameLoop, renameTasks } from './body-names.ts';
import { migrateIterOutsideLoop } from './iter-outside-loop.ts';
import { migrateIterator } from './iterator-kind.ts';
import { migrateLoop } from './migrate-loop.ts';
import { migratePolicy } from './migrate-policy.ts';
import { migrateTaskFields } from './migrate-task.ts';
import { tasksOf, withTasks } from './pipeline.ts';
import { withScriptTasks } from './remote-script.ts';
import { withPreviousTasks } from './set-prev.ts';
import { migrateStepArgs } from './step-args.ts';
import { migrateStepSpec } from './step-spec.ts';
import { migrateToolForm, withFieldsInTool } from './tool-form.ts';

/**
 * The work of a step in canonical form: its tool is one task or a list of tasks, whose fields are those of their kind.
 * Routing, retries, sinks and what is kept of a result are left to the flow rules.
 */
export function migrateBody(step: MapTree, facts: DocumentFacts, journal: Journal): MapTree {
  const name = textOf(fieldOf(step, 'step')) ?? '';
  const formed = migrateStepArgs(
    migrateStepSpec(
      migrateToolForm(migrateIterator(migrateToolForm(withFieldsInTool(step, journal), journal), journal), journal),
      journal,
    ),
    journal,
  );
  const loops = entryOf(formed, 'loop') !== undefined;
  const tasks = withScriptTasks(tasksOf(formed), journal).map((task) => {
    const fields = migrateTaskFields(task.body, name, facts, journal);
    return { ...task, body: migratePolicy(fields, name, loops, facts, journal) };
  });
  const worked = withTasks(formed, renameTasks(withPreviousTasks(tasks, journal), name, facts, journal));
  return migrateIterOutsideLoop(renameLoop(migrateLoop(worked, journal), name, facts, journal), facts, journal);
}
