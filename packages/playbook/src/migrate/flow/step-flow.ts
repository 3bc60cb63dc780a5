import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { renamedCondition, renameNames } from '../names/rename-names.ts';
import type { Tree } from '../tree/tree.ts';

/**
 * Where something that is moved comes to stand: in a rule of the task that gives the step's result, in an arc, in a task
 * that follows that task, or in what decides whether the step may run.
 */
export type Place = 'policy' | 'arcs' | 'following' | 'admission';

/** What the rules of the flow must know of the step that they translate. */
export interface StepFlow {
  readonly name: string;
  readonly loops: boolean;
  /** Seed 002: each token runs a step, arcs are tried after failures too, and the first that holds is taken. */
  readonly tokens: boolean;
  readonly facts: DocumentFacts;
  readonly journal: Journal;
  /** Values with the names in their templates as they are called at their new place. */
  readonly renamed: (tree: Tree, place: Place, at: number) => Tree;
  /** The same of a condition. */
  readonly condition: (tree: Tree, place: Place, at: number) => Tree;
}

/** For a step of that name; for a task of the workbook the name is empty. */
export function stepFlow(name: string, loops: boolean, facts: DocumentFacts, journal: Journal): StepFlow {
  return {
    name,
    loops,
    tokens: facts.dialects.has('eval-002'),
    facts,
    journal,
    renamed: (tree, place, at) => renameNames(tree, { at: place, step: name }, facts, journal, at),
    condition: (tree, place, at) => renamedCondition(tree, { at: place, step: name }, facts, journal, at),
  };
}
