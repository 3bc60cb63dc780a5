import { entry, flow as inline, list, map } from '../tree/build.ts';
import {
  entryOf,
  mapItems,
  rekeyed,
  renamedEntry,
  replacedValue,
  revalued,
  withEntries,
  withEntry,
  withItems,
  without,
} from '../tree/edit.ts';
import type { EntryTree, ItemTree, ListTree, MapTree } from '../tree/tree.ts';
import { NEXT_ITEM_KEYS, readNextItem } from './next-item.ts';
import type { StepFlow } from './step-flow.ts';

export interface Router {
  /** Undefined where it need not be said. */
  readonly mode: string | undefined;
  /** Where it was said, if not in `next`. */
  readonly modeAt?: number | undefined;
  readonly onFailure: 'all' | undefined;
  readonly arcs: readonly ItemTree[];
  /** The list that they stood in. */
  readonly list: ListTree | undefined;
  readonly at: number;
}

/** The step with this router where `next` stood, else where `case` stood, else at the end. */
export function withRouter(step: MapTree, { mode, modeAt, onFailure, arcs, list: before, at }: Router): MapTree {
  if (arcs.length === 0) return without(step, 'next', 'case', 'after');
  const said = [
    ...(mode === undefined ? [] : [entry('mode', mode, at)]),
    ...(onFailure === undefined ? [] : [entry('on_failure', onFailure, at)]),
  ];
  const tree = before === undefined ? list(...arcs) : withItems(before, arcs);
  const spec = said.length === 0 ? [] : [entry('spec', inline(map(...said)), modeAt ?? at)];
  const router = map(...spec, entry('arcs', tree, at));
  const next = entryOf(step, 'next');
  if (next !== undefined) return replacedValue(without(step, 'case', 'after'), 'next', router);
  const older = entryOf(step, 'case') ?? entryOf(step, 'after');
  if (older === undefined) return withEntry(step, entry('next', router, at));
  return withEntries(
    step,
    step.entries.map((one) => (one === older ? revalued(rekeyed(older, 'next'), router) : one)),
  );
}

/** A router whose arcs have the keys that arcs have now; the same object if they had them. */
export function migrateArcs(
  router: MapTree,
  flow: StepFlow,
): { readonly router: MapTree; readonly ctx: readonly EntryTree[] } {
  const arcs = entryOf(router, 'arcs');
  if (arcs?.value.kind !== 'list') return { router, ctx: [] };
  const ctx: EntryTree[] = [];
  const tree = mapItems(arcs.value, (value, part) => {
    if (value.kind !== 'map' || entryOf(value, 'step') === undefined) return value;
    const arc = entryOf(value, 'expr') === undefined ? value : renamedEntry(value, 'expr', 'when');
    // What is no key of any dialect is the reader's to report.
    if (!arc.entries.every(({ key }) => NEXT_ITEM_KEYS.has(key))) return value;
    const read = readNextItem({ ...part, value: arc }, flow);
    ctx.push(...(read?.ctx ?? []));
    return read?.targets[0]?.arc ?? value;
  });
  return { router: tree === arcs.value ? router : replacedValue(router, 'arcs', tree), ctx };
}
