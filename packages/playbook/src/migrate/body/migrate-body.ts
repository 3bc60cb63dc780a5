import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { fieldOf, textOf } from '../tree/edit.ts';
import type { MapTree } from '../tree/tree.ts';
import { migrateLoop } from './migrate-loop.ts';
import { migrateTaskFields } from './migrate-task.ts';
import { tasksOf, withTasks } from './pipeline.ts';
import { migrateStepArgs } from './step-args.ts';
import { migrateToolForm } from './tool-form.ts';

/**
 * The work of a step in canonical form: its tool is one task or a list of tasks, whose fields are those of their kind.
 * Routing, retries, sinks and what is kept of a result are left to the flow rules.
 */
export function migrateBody(step: MapTree, facts: DocumentFacts, journal: Journal): MapTree {
  const formed = migrateStepArgs(migrateToolForm(step, journal), journal);
  const name = textOf(fieldOf(step, 'step'));
  const tasks = tasksOf(formed).map((task) => ({
    ...task,
    body: migrateTaskFields(task.body, name, facts, journal),
  }));
  return migrateLoop(withTasks(formed, tasks), journal);
}
