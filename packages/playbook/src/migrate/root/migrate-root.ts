import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import type { MapTree } from '../tree/tree.ts';

/** What stands at the root beside the workflow. */
export function migrateRoot(root: MapTree, _facts: DocumentFacts, _journal: Journal): MapTree {
  return root;
}
