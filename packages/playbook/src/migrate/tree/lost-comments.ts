import { below, withEntries, withItems } from './edit.ts';
import type { EntryTree, ItemTree, MapTree, Tree } from './tree.ts';

type Part = EntryTree | ItemTree;

interface Comment {
  readonly text: string;
  /** Where what it stands at stands in the file. */
  readonly at: number;
}

/**
 * The tree with every comment once. Those of what was taken out or written anew stand above what was made from that, else
 * above what stood before it; those of what became two stand at the first.
 */
export function withLostComments(before: MapTree, after: MapTree): MapTree {
  const once = withoutSecond(after, counted(commentsIn(before)));
  return withAdded(once, lostComments(before, once));
}

function counted(comments: readonly Comment[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of comments) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function lostComments(before: MapTree, after: MapTree): ReadonlyMap<Part, readonly string[]> {
  const there = counted(commentsIn(after));
  const lost = commentsIn(before).filter(({ text }) => {
    const count = there.get(text) ?? 0;
    if (count > 0) there.set(text, count - 1);
    return count === 0;
  });
  const parts = lost.length === 0 ? [] : blockParts(after);
  const added = new Map<Part, string[]>();
  for (const { text, at } of lost) {
    const part = nearest(parts, at);
    if (part !== undefined) added.set(part, [...(added.get(part) ?? []), text]);
  }
  return added;
}

/** `left`: how often each comment may still come. */
function withoutSecond<T extends Tree>(tree: T, left: Map<string, number>): T;
function withoutSecond(tree: Tree, left: Map<string, number>): Tree {
  return eachPart(tree, (part) => {
    const may = (line: string): boolean => {
      const text = line.trim();
      if (!text.startsWith('#')) return true;
      const count = left.get(text) ?? 0;
      left.set(text, count - 1);
      return count > 0;
    };
    const lines = part.above.lines.filter(may);
    const comment = may(part.comment) ? part.comment : '';
    const value = withoutSecond(part.value, left);
    const same = lines.length === part.above.lines.length && comment === part.comment && value === part.value;
    return same ? part : { ...part, above: { ...part.above, lines }, comment, value, slice: undefined };
  });
}

/** Every entry or item of the tree replaced; the same object if none is another. */
function eachPart(tree: Tree, replace: <T extends Part>(part: T) => T): Tree {
  if (tree.kind === 'scalar') return tree;
  if (tree.kind === 'map') {
    const entries = tree.entries.map((part) => replace(part));
    return entries.every((part, i) => part === tree.entries[i]) ? tree : withEntries(tree, entries);
  }
  const items = tree.items.map((part) => replace(part));
  return items.every((part, i) => part === tree.items[i]) ? tree : withItems(tree, items);
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
  return added.size === 0 ? tree : eachPart(tree, (part) => partWith(part, added));
}

function partWith<T extends Part>(part: T, added: ReadonlyMap<Part, readonly string[]>): T {
  const value = withAdded(part.value, added);
  const same = value === part.value ? part : { ...part, value, slice: undefined };
  return below(same, { lines: added.get(part) ?? [], column: 0 });
}
