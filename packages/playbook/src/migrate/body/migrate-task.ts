import { kindSchema } from '../../kinds/kinds.ts';
import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { fieldOf, textOf } from '../tree/edit.ts';
import type { MapTree } from '../tree/tree.ts';
import { migrateAuth } from './auth-form.ts';
import { fieldRules } from './kind-fields.ts';
import { migrateSpecFields } from './spec-fields.ts';
import { applied, type TaskContext } from './task-rule.ts';
import { refuseUnknownKind } from './unknown-kind.ts';

/**
 * The fields of a task as its kind has them: for a task of a pipeline, of the workbook, or one that a rule moves into a
 * pipeline. Names in templates and the policy are left as they are.
 */
export function migrateTaskFields(
  task: MapTree,
  step: string | undefined,
  facts: DocumentFacts,
  journal: Journal,
): MapTree {
  const kind = textOf(fieldOf(task, 'kind'));
  if (kind === undefined) return task;
  const context: TaskContext = { kind, step, facts, journal };
  if (kindSchema(kind) === undefined) return refuseUnknownKind(task, context);
  return applied([migrateSpecFields, migrateAuth, ...fieldRules(kind)], task, context);
}
