import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import type { MapTree } from '../tree/tree.ts';
import { handErrorsOn } from './handed-error.ts';
import { migrateJoins } from './joins.ts';
import { foldLoopBodies } from './loop-body.ts';

/** What depends on the whole workflow: the bodies of loops, joins, and what arcs hand on. */
export function migrateWorkflow(root: MapTree, facts: DocumentFacts, journal: Journal): MapTree {
  return handErrorsOn(migrateJoins(foldLoopBodies(root, journal), facts, journal), facts, journal);
}
