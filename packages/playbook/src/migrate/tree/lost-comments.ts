import { below, withEntries, withItems } from './edit.ts';
import type { EntryTree, ItemTree, ListTree, MapTree, Tree } from './tree.ts';

type Part = EntryTree | ItemTree;

interface Comment {
  readonly text: string;
  /** Where what it stands at stands in the file. */
  readonly at: number;
}

/**
 * The tree with the comments of what was taken out or written anew: each above what was made from that, else above what
 * stood before it.
 */
export function withLostComments(before: MapTree, after: MapTree): MapTree {
  const there = new Map<string, number>();
  for (const { text } of commentsIn(after)) there.set(text, (there.get(text) ?? 0) + 1);
  const lost = commentsIn(before).filter(({ text }) => {
    const count = there.get(text) ?? 0;
    if (count > 0) there.set(text, count - 1);
    return count === 0;
  });
  if (lost.length === 0) return after;
  const parts = blockParts(after);
  const added = new Map<Part, string[]>();
  for (const { text, at } of lost) {
    const part = nearest(parts, at);
    if (part !== undefined) added.set(part, [...(added.get(part) ?? []), text]);
  }
  return withAdded(after, added);
}

function commentsIn(tree: Tree): readonly Comment[] {
  return partsOf(tree).flatMap((part) => {
    const { at, above, comment, value } = part;
    const inner = value.kind === 'scalar' ? [] : value.layout.comments;
    const own = [...above.lines, comment, ...inner].map((text) => text.trim()).filter((text) => text.startsWith('#'));
    return [...own.map((text) => ({ text, at })), ...commentsIn(value)];
  });
}

const partsOf = (tree: Tree): readonly Part[] =>
  tree.kind === 'scalar' ? [] : tree.kind === 'map' ? tree.entries : tree.items;

/** Those that stand on lines of their own. */
const blockParts = (tree: Tree): readonly Part[] =>
  tree.kind === 'scalar' || tree.layout.flow ? [] : partsOf(tree).flatMap((part) => [part, ...blockParts(part.value)]);

/** What was made from the same, else the last that stood before, else the first. */
function nearest(parts: readonly Part[], at: number): Part | undefined {
  let found: Part | undefined;
  for (const part of parts) if (part.at <= at && (found === undefined || part.at > found.at)) found = part;
  return found ?? parts[0];
}

function withAdded<T extends Tree>(tree: T, added: ReadonlyMap<Part, readonly string[]>): T;
function withAdded(tree: Tree, added: ReadonlyMap<Part, readonly string[]>): Tree {
  if (tree.kind === 'scalar') return tree;
  return tree.kind === 'map' ? mapWith(tree, added) : listWith(tree, added);
}

function mapWith(tree: MapTree, added: ReadonlyMap<Part, readonly string[]>): MapTree {
  const entries = tree.entries.map((part) => partWith(part, added));
  return entries.every((part, i) => part === tree.entries[i]) ? tree : withEntries(tree, entries);
}

function listWith(tree: ListTree, added: ReadonlyMap<Part, readonly string[]>): ListTree {
  const items = tree.items.map((part) => partWith(part, added));
  return items.every((part, i) => part === tree.items[i]) ? tree : withItems(tree, items);
}

function partWith<T extends Part>(part: T, added: ReadonlyMap<Part, readonly string[]>): T {
  const value = withAdded(part.value, added);
  const same = value === part.value ? part : { ...part, value, slice: undefined };
  return below(same, { lines: added.get(part) ?? [], column: 0 });
}
