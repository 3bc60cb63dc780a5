import type { ScalarValue } from '../../yaml/node.ts';
import type { Above, EntryTree, ItemTree, Layout, ListTree, MapTree, ScalarTree, Tree } from './tree.ts';

/** Trees that are not in the file yet; the printer chooses how they are written. */

export const scalar = (value: ScalarValue): ScalarTree => ({ kind: 'scalar', value, source: undefined });

export const map = (...entries: readonly EntryTree[]): MapTree => ({ kind: 'map', entries, layout: BLOCK });

export const list = (...items: readonly ItemTree[]): ListTree => ({ kind: 'list', items, layout: BLOCK });

/** Lets a new map or list stand on one line: `{ mode: inclusive }`. */
export const flow = <T extends MapTree | ListTree>(tree: T): T => ({ ...tree, layout: { ...tree.layout, flow: true } });

/** `at`: where in the file stands what it is made from. */
export const entry = (key: string, value: Tree | ScalarValue, at: number): EntryTree => ({ key, ...item(value, at) });

export const item = (value: Tree | ScalarValue, at: number): ItemTree => ({
  value: typeof value === 'object' && value !== null ? value : scalar(value),
  at,
  above: NOTHING,
  comment: '',
  head: undefined,
  slice: undefined,
});

const BLOCK: Layout = { flow: false, indent: undefined, padding: undefined, slice: undefined, comments: [] };

const NOTHING: Above = { lines: [], column: 0 };
