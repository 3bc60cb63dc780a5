import { type Kind, Special } from './special.ts';

/**
 * A list that a template made, and may therefore change. Arrays that are not a List are the caller's: they are read
 * in place, never written, never copied.
 */
export class List extends Array<unknown> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

export function listOf(items: Iterable<unknown>): List {
  const list = new List();
  for (const item of items) list.push(item);
  return list;
}

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
