import type { Journal } from '../journal.ts';
import type { Tree } from '../tree/tree.ts';

/**
 * Where something that is moved comes to stand: in a rule of the task that gives the step's result, in an arc, in a task
 * that follows that task, or in what decides whether the step may run.
 */
export type Site = 'rule' | 'arc' | 'following' | 'admission';

/** What the rules of the flow must know of the step that they translate. */
export interface StepFlow {
  readonly name: string;
  readonly loops: boolean;
  readonly parallel: boolean;
  /** Seed 002: each token runs a step, arcs are tried after failures too, and the first that holds is taken. */
  readonly tokens: boolean;
  readonly journal: Journal;
  /** The tree with the names in its templates as they are called at their new place. */
  readonly renamed: (tree: Tree, site: Site, at: number) => Tree;
}
