import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import type { MapTree } from '../tree/tree.ts';

/** What a step does about outcomes and where it goes on: the step, and steps that have to follow it. */
export function migrateFlow(step: MapTree, _facts: DocumentFacts, _journal: Journal): readonly MapTree[] {
  return [step];
}
