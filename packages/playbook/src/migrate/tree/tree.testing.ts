import { readYaml } from '../../yaml/read-yaml.ts';
import { grow, type SourceDocument } from './grow.ts';
import { print } from './print.ts';
import type { MapTree, Tree } from './tree.ts';

/** The tree of a text that has one. */
export function grown(text: string): { readonly root: MapTree; readonly document: SourceDocument } {
  const yaml = readYaml(text);
  if ('error' in yaml || yaml.node.kind !== 'map') throw new Error(`not a map: ${text}`);
  const tree = grow(text, yaml.node);
  if (tree === undefined) throw new Error(`has anchors: ${text}`);
  return tree;
}

/** The text after an edit of its root. */
export function edited(text: string, edit: (root: MapTree) => MapTree): string {
  const { root, document } = grown(text);
  return print(edit(root), document).text;
}

/** As if everything had been changed, so that nothing may be copied from the file. */
export function touched<T extends Tree>(tree: T): T;
export function touched(tree: Tree): Tree {
  if (tree.kind === 'scalar') return tree;
  const layout = { ...tree.layout, slice: undefined };
  return tree.kind === 'map'
    ? {
        ...tree,
        layout,
        entries: tree.entries.map((part) => ({ ...part, slice: undefined, value: touched(part.value) })),
      }
    : { ...tree, layout, items: tree.items.map((part) => ({ ...part, slice: undefined, value: touched(part.value) })) };
}
