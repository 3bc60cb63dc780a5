import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { rewriteTemplate } from '../names/rewrite-template.ts';
import { entry, map } from '../tree/build.ts';
import {
  entryOf,
  fieldOf,
  mapScalars,
  rekeyed,
  replacedValue,
  revalued,
  textOf,
  withEntries,
  withEntry,
  without,
} from '../tree/edit.ts';
import { respelled } from '../tree/respell.ts';
import type { MapTree, Tree } from '../tree/tree.ts';
import { tasksOf } from './pipeline.ts';

/** Some playbooks kept values of an iteration where no loop is: they are values of the execution. */
export function migrateIterOutsideLoop(step: MapTree, facts: DocumentFacts, journal: Journal): MapTree {
  if (entryOf(step, 'loop') !== undefined) return step;
  const patches = tasksOf(step).flatMap(({ body }) => patchesIn(body));
  const keys = new Set(patches.flatMap(({ tree }) => tree.entries.map(({ key }) => key)));
  const first = patches[0];
  if (first === undefined) return step;
  const name = textOf(fieldOf(step, 'step')) ?? '';
  const taken = (key: string) => facts.names.shared.has(key) || facts.names.given.has(key) || facts.steps.has(key);
  const homes = new Map([...keys].map((key) => [key, taken(key) ? `${name}_${key}` : key]));
  journal.note('set-vars', first.at, "'set_iter' becomes set_ctx: the step has no loop");
  const tool = fieldOf(step, 'tool');
  const patched = tool === undefined ? step : replacedValue(step, 'tool', withoutIter(tool, homes));
  const renamed = mapScalars(patched, (scalar) => {
    const text = textOf(scalar);
    if (text === undefined || !text.includes('iter.')) return scalar;
    const { edits } = rewriteTemplate(text, {
      reference: ({ name: head, path }) => {
        const home = head === 'iter' && path.length > 0 ? homes.get(String(path[0])) : undefined;
        return home === undefined ? undefined : { text: `ctx.${home}`, covers: 1, rule: 'set-vars' };
      },
    });
    return respelled(scalar, edits);
  });
  return renamed.kind === 'map' ? renamed : step;
}

interface Patch {
  readonly tree: MapTree;
  readonly at: number;
}

function patchesIn(tree: Tree): readonly Patch[] {
  if (tree.kind === 'list') return tree.items.flatMap(({ value }) => patchesIn(value));
  if (tree.kind === 'scalar') return [];
  return tree.entries.flatMap(({ key, value, at }) =>
    key === 'set_iter' && value.kind === 'map' ? [{ tree: value, at }] : patchesIn(value),
  );
}

function withoutIter(tree: Tree, homes: ReadonlyMap<string, string>): Tree {
  if (tree.kind === 'scalar') return tree;
  if (tree.kind === 'list') {
    const items = tree.items.map((part) => revalued(part, withoutIter(part.value, homes)));
    return { ...tree, items, layout: { ...tree.layout, slice: undefined } };
  }
  const inner = withEntries(
    tree,
    tree.entries.map((part) => revalued(part, withoutIter(part.value, homes))),
  );
  const patch = entryOf(inner, 'set_iter');
  if (patch?.value.kind !== 'map') return inner;
  const parts = patch.value.entries.map((part) => rekeyed(part, homes.get(part.key) ?? part.key));
  const ctx = fieldOf(inner, 'set_ctx');
  const bare = without(inner, 'set_iter');
  if (ctx?.kind === 'map') return replacedValue(bare, 'set_ctx', withEntries(ctx, [...ctx.entries, ...parts]));
  return withEntry(bare, entry('set_ctx', map(...parts), patch.at));
}
