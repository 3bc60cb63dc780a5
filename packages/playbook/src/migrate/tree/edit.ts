import type { Above, EntryTree, ItemTree, Layout, ListTree, MapTree, ScalarTree, Tree } from './tree.ts';

export const entryOf = (tree: MapTree, key: string): EntryTree | undefined =>
  tree.entries.find((entry) => entry.key === key);

export const fieldOf = (tree: MapTree, key: string): Tree | undefined => entryOf(tree, key)?.value;

/** The text of a scalar; undefined where there is none, or something else. */
export const textOf = (tree: Tree | undefined): string | undefined =>
  tree?.kind === 'scalar' && typeof tree.value === 'string' ? tree.value : undefined;

/** The maps of a list, as the steps of a workflow are. */
export const mapsIn = (tree: Tree | undefined): readonly MapTree[] =>
  tree?.kind === 'list' ? tree.items.flatMap(({ value }) => (value.kind === 'map' ? [value] : [])) : [];

export const withEntries = (tree: MapTree, entries: readonly EntryTree[]): MapTree => ({
  ...tree,
  entries,
  layout: changed(tree.layout),
});

export const withItems = (tree: ListTree, items: readonly ItemTree[]): ListTree => ({
  ...tree,
  items,
  layout: changed(tree.layout),
});

/** Puts the entry where one with its key stands, else after the entry `after`, else at the end. */
export function withEntry(tree: MapTree, entry: EntryTree, { after }: { readonly after?: string } = {}): MapTree {
  const entries = [...tree.entries];
  const old = entries.findIndex(({ key }) => key === entry.key);
  if (old >= 0) {
    entries[old] = entry;
  } else {
    const before = after === undefined ? -1 : entries.findIndex(({ key }) => key === after);
    entries.splice(before < 0 ? entries.length : before + 1, 0, entry);
  }
  return withEntries(tree, entries);
}

/** Comments above what is taken out stay where they were. */
export function without(tree: MapTree, ...keys: readonly string[]): MapTree {
  if (!tree.entries.some(({ key }) => keys.includes(key))) return tree;
  const kept: EntryTree[] = [];
  let left: Above | undefined;
  for (const entry of tree.entries) {
    if (keys.includes(entry.key)) {
      left = joined(left, commentsOnly(entry.above));
    } else {
      kept.push(left === undefined ? entry : { ...entry, above: joined(left, entry.above) });
      left = undefined;
    }
  }
  return withEntries(tree, kept);
}

/** Another key for the same value, at the same place. */
export const renamedEntry = (tree: MapTree, from: string, to: string): MapTree =>
  withEntries(
    tree,
    tree.entries.map((entry) => (entry.key === from ? rekeyed(entry, to) : entry)),
  );

export const rekeyed = (entry: EntryTree, key: string): EntryTree => ({
  ...entry,
  key,
  head: undefined,
  slice: undefined,
});

export const replacedValue = (tree: MapTree, key: string, value: Tree): MapTree =>
  withEntries(
    tree,
    tree.entries.map((entry) => (entry.key === key ? revalued(entry, value) : entry)),
  );

/** The same entry or item with another value; the same object if it is the same value. */
export const revalued = <T extends EntryTree | ItemTree>(part: T, value: Tree): T =>
  part.value === value ? part : { ...part, value, slice: undefined };

/** The list with every value replaced; the same object if none is another. */
export function mapItems(tree: ListTree, replace: (value: Tree, item: ItemTree) => Tree): ListTree {
  const items = tree.items.map((item) => revalued(item, replace(item.value, item)));
  return items.every((item, i) => item === tree.items[i]) ? tree : withItems(tree, items);
}

/** Every scalar below replaced, each with the entry or item that it belongs to; the same object if none is another. */
export function mapScalars(tree: Tree, replace: (scalar: ScalarTree, at: number) => Tree, at = 0): Tree {
  if (tree.kind === 'scalar') return replace(tree, at);
  if (tree.kind === 'list') return mapItems(tree, (value, item) => mapScalars(value, replace, item.at));
  const entries = tree.entries.map((entry) => revalued(entry, mapScalars(entry.value, replace, entry.at)));
  return entries.every((entry, i) => entry === tree.entries[i]) ? tree : withEntries(tree, entries);
}

/** With the comments above another entry or item on top of its own. */
export const below = <T extends EntryTree | ItemTree>(part: T, above: Above): T =>
  above.lines.length === 0 ? part : { ...part, above: joined(above, part.above) };

const joined = (first: Above | undefined, second: Above): Above => {
  if (first === undefined || first.lines.length === 0) return second;
  if (second.lines.length === 0) return first;
  return { column: second.column, lines: [...moved(first, second.column), ...second.lines] };
};

const moved = ({ lines, column }: Above, to: number): readonly string[] =>
  lines.map((line) => shifted(line, to - column));

/** The line that much further right, or left as far as there are blanks. */
export function shifted(line: string, by: number): string {
  if (by === 0 || line === '') return line;
  if (by > 0) return ' '.repeat(by) + line;
  const blanks = line.length - line.trimStart().length;
  return line.slice(Math.min(-by, blanks));
}

/** Without its blank lines, which belong to the place rather than to what stood there. */
export const commentsOnly = ({ lines, column }: Above): Above => ({
  column,
  lines: lines.filter((line) => line.trim() !== ''),
});

const changed = (layout: Layout): Layout => (layout.slice === undefined ? layout : { ...layout, slice: undefined });
