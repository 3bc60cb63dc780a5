import { type Kind, Special } from './special.ts';

const OWN = Symbol('made by a template');

/**
 * A list that a template made, and may therefore change. Arrays without the mark are the caller's: they are read in
 * place, never written, never copied. (A subclass of Array would do, but costs five times as much to make.)
 */
export interface List extends Array<unknown> {
  [OWN]?: true;
}

export const isList = (value: unknown): value is List => Array.isArray(value) && (value as List)[OWN] === true;

/** Takes over an array that nobody else holds. */
export function ownList(items: unknown[]): List {
  const list: List = items;
  list[OWN] = true;
  return list;
}

export const listOf = (items: Iterable<unknown>): List => ownList(Array.from(items));

export class Tuple extends Special {
  readonly items: readonly unknown[];

  constructor(items: readonly unknown[]) {
    super();
    this.items = items;
  }

  get kind(): Kind {
    return 'tuple';
  }
}

/** A group of `groupby`: the tuple (grouper, list) with both names. */
export class Group extends Tuple {
  constructor(grouper: unknown, members: List) {
    super([grouper, members]);
  }

  override attribute(name: string): unknown {
    if (name === 'grouper') return this.items[0];
    return name === 'list' ? this.items[1] : undefined;
  }
}
