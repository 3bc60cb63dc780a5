import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import type { MapTree } from '../tree/tree.ts';

/** What depends on the whole workflow: joins, and arcs through steps that were put in. */
export function migrateWorkflow(root: MapTree, _facts: DocumentFacts, _journal: Journal): MapTree {
  return root;
}
