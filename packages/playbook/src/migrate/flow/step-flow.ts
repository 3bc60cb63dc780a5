import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { renamedCondition, renameNames } from '../names/rename-names.ts';
import type { Site } from '../names/site.ts';
import type { Tree } from '../tree/tree.ts';

/**
 * Where something that is moved comes to stand: in a rule of the task that gives the step's result, in an arc, in a task
 * that follows that task, or in what decides whether the step may run; `failed-arcs` are taken after failures alone.
 */
export type Place = 'policy' | 'arcs' | 'failed-arcs' | 'following' | 'admission';

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
    renamed: (tree, place, at) => renameNames(tree, siteOf(place, name), facts, journal, at),
    condition: (tree, place, at) => renamedCondition(tree, siteOf(place, name), facts, journal, at),
  };
}

/** The flow of what is done after a failure: its arcs find an error, and no result. */
export const afterFailure = (flow: StepFlow): StepFlow => ({
  ...flow,
  renamed: (tree, place, at) => flow.renamed(tree, place === 'arcs' ? 'failed-arcs' : place, at),
  condition: (tree, place, at) => flow.condition(tree, place === 'arcs' ? 'failed-arcs' : place, at),
});

const siteOf = (place: Place, step: string): Site =>
  place === 'failed-arcs' ? { at: 'arcs', step, failed: true } : { at: place, step };
