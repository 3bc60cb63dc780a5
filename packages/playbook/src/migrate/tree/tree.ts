import type { ScalarNode, ScalarValue, Segment } from '../../yaml/node.ts';

/**
 * A YAML document as its author wrote it, to be changed in places. Trees are values: an edit makes new ones. What was
 * not replaced is printed as it stands in the file, comments included, only moved sideways where its place changed.
 */
export type Tree = ScalarTree | MapTree | ListTree;

export interface ScalarTree {
  readonly kind: 'scalar';
  readonly value: ScalarValue;
  /** Undefined where the printer is to choose how it is written. */
  readonly source: ScalarSource | undefined;
}

/** How a scalar is written. */
export interface ScalarSource {
  readonly text: string;
  /** The column of the entry or item that it belongs to: its later lines are moved as that is. */
  readonly column: number;
  readonly style: ScalarNode['style'];
  /** Where the characters of the value stand in `text`. */
  readonly segments: readonly Segment[];
}

export interface MapTree {
  readonly kind: 'map';
  readonly entries: readonly EntryTree[];
  readonly layout: Layout;
}

export interface ListTree {
  readonly kind: 'list';
  readonly items: readonly ItemTree[];
  readonly layout: Layout;
}

/** How the parts of a map or list stand. */
export interface Layout {
  /** `{…}` or `[…]`. */
  readonly flow: boolean;
  /** How much further right than its owner a block stands; undefined where the printer is to choose. */
  readonly indent: number | undefined;
  /** What stands inside of the brackets at both ends; undefined where the printer is to choose. */
  readonly padding: string | undefined;
  /** The text of a flow collection in which nothing was changed. */
  readonly slice: Slice | undefined;
  /** Comments inside of a flow collection. */
  readonly comments: readonly string[];
}

/** Around an entry of a map or an item of a list. */
interface Surroundings {
  readonly value: Tree;
  /** Where it stands in the file; of something new, where what it was made from stands. */
  readonly at: number;
  readonly above: Above;
  /** What follows on its first line, with the blanks before it: a comment, or nothing. */
  readonly comment: string;
  /** The key with its colon, or the dash, and the blanks up to the value, where they were written. */
  readonly head: string | undefined;
  /** Its whole text, as long as nothing in it was changed. */
  readonly slice: Slice | undefined;
}

export interface EntryTree extends Surroundings {
  readonly key: string;
}

export type ItemTree = Surroundings;

/** Comment lines and blank lines above something, as written. */
export interface Above {
  readonly lines: readonly string[];
  /** The column of what they stand above. */
  readonly column: number;
}

/** A part of the file that starts at a column, from 0. */
export interface Slice {
  readonly start: number;
  readonly end: number;
  readonly column: number;
}
