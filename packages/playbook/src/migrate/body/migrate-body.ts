import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import type { MapTree } from '../tree/tree.ts';
import { migrateToolForm } from './tool-form.ts';

/**
 * The work of a step in canonical form: its tool is one task or a list of tasks, whose fields are those of their kind.
 * Routing, retries, sinks and what is kept of a result are left to the flow rules.
 */
export function migrateBody(step: MapTree, _facts: DocumentFacts, journal: Journal): MapTree {
  return migrateToolForm(step, journal);
}
