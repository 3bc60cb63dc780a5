import type { Task } from '../model/playbook.ts';

/** Where names come from; `iter` are the iterators of loops. */
export const NAME_SOURCES = ['workload', 'ctx', 'args', 'keychain', 'steps', 'iter'] as const;

export type NameSource = (typeof NAME_SOURCES)[number];

/**
 * What errors leave open. DOC-11 wants all problems of a file in one run, and no more than those: nothing is said about a
 * name or a path that a part which could not be read may provide.
 */
export interface Doubts {
  readonly names: Set<NameSource>;
  /** Steps whose admission, join or routing is not known. */
  readonly steps: Set<string>;
  /** Tasks whose rules are not known. */
  readonly tasks: Set<Task>;
}

export const noDoubts = (): Doubts => ({ names: new Set(), steps: new Set(), tasks: new Set() });
