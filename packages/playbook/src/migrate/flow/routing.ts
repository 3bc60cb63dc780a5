import { put } from '../body/pipeline.ts';
import { parsedTemplate } from '../names/parsed-template.ts';
import { flow as inline, map } from '../tree/build.ts';
import { entryOf, fieldOf, replacedValue, textOf, without } from '../tree/edit.ts';
import type { EntryTree, ItemTree, MapTree } from '../tree/tree.ts';
import { withSpec } from './admission.ts';
import { type Next, readNext } from './next.ts';
import { migrateArcs, withRouter } from './router.ts';
import type { StepFlow } from './step-flow.ts';
import { routesOf } from './way.ts';

/** A step with a router, and what its arcs put into ctx. */
export interface Routed {
  readonly step: MapTree;
  readonly ctx: readonly EntryTree[];
}

/** DOC-7: `next` of any dialect is a router. */
export function migrateNext(step: MapTree, flow: StepFlow): Routed {
  const next = entryOf(step, 'next');
  const mode = takeMode(step, flow);
  if (next === undefined) return { step: mode.step, ctx: [] };
  if (next.value.kind === 'map' && entryOf(next.value, 'arcs') !== undefined) {
    const { router, ctx } = migrateArcs(next.value, flow);
    return { step: withMode(replaced(mode.step, next, router), router, mode.entry), ctx };
  }
  const read = readNext(next, flow);
  if (read === undefined) return { step, ctx: [] };
  if ('arcs' in read) return tokenArcs(mode.step, next, read, mode.entry, flow);
  const { journal } = flow;
  const routes = routesOf(read.ways);
  const conditional = read.ways.some(({ when }) => when !== undefined);
  journal.note(conditional ? 'next-when' : 'next-arcs', next.at, `'next' is now a router with ${counted(routes.arcs)}`);
  if (routes.mode === 'inclusive')
    journal.note(
      'next-parallel',
      next.at,
      'several steps were taken side by side: the router takes every arc that holds',
    );
  const said = mode.entry === undefined ? undefined : textOf(mode.entry.value);
  return {
    step: withRouter(mode.step, {
      mode: routes.mode === 'inclusive' ? routes.mode : said,
      modeAt: mode.entry?.at,
      onFailure: undefined,
      arcs: routes.arcs,
      list: read.list,
      at: next.at,
    }),
    ctx: [],
  };
}

const replaced = (step: MapTree, next: EntryTree, router: MapTree): MapTree =>
  next.value === router ? step : replacedValue(step, 'next', router);

/** Seed 002: the arcs as they stand. One that is not about an event was tried after failures, too. */
function tokenArcs(
  step: MapTree,
  next: EntryTree,
  { arcs, list }: Extract<Next, { readonly arcs: unknown }>,
  mode: EntryTree | undefined,
  { journal }: StepFlow,
): Routed {
  const items = arcs.map(
    ({ targets, item }): ItemTree => ({ ...item, value: targets[0]?.arc ?? item.value, slice: undefined }),
  );
  const fails = entryOf(step, 'tool') !== undefined;
  const blind = arcs.some(({ when }) => !readsEvent(when));
  const said = mode === undefined ? undefined : textOf(mode.value);
  journal.note('next-arcs', next.at, `'next' is now a router with ${counted(items)}`);
  if (fails && blind)
    journal.note(
      'next-failure',
      next.at,
      'arcs that do not look at event were tried after failures, too: on_failure is all',
    );
  const unasked = arcs.findIndex(({ when }, i) => when === undefined && i < arcs.length - 1);
  if (unasked >= 0 && said !== 'inclusive')
    journal.note(
      'next-arcs',
      arcs[unasked]?.item.at ?? next.at,
      'this arc has no condition, and only the first arc that holds is taken: those below it are never tried; mode: inclusive takes all',
      { review: true },
    );
  const onFailure = fails && blind ? 'all' : undefined;
  return {
    step: withRouter(step, { mode: said, modeAt: mode?.at, onFailure, arcs: items, list, at: next.at }),
    ctx: arcs.flatMap(({ ctx }) => ctx),
  };
}

function readsEvent(when: EntryTree | undefined): boolean {
  const template = parsedTemplate(textOf(when?.value) ?? '');
  return !('message' in template) && template.references().some(({ name }) => name === 'event');
}

/** `spec.next_mode`, taken out of the step. */
function takeMode(
  step: MapTree,
  { journal }: StepFlow,
): { readonly step: MapTree; readonly entry: EntryTree | undefined } {
  const spec = fieldOf(step, 'spec');
  const found = spec?.kind === 'map' ? entryOf(spec, 'next_mode') : undefined;
  if (found === undefined || spec?.kind !== 'map') return { step, entry: undefined };
  journal.note('next-mode', found.at, "'spec.next_mode' is now the mode of the router: next.spec.mode");
  return { step: withSpec(step, without(spec, 'next_mode'), found.at), entry: found };
}

/** A router that is there already, with the mode that stood at the step. */
function withMode(step: MapTree, router: MapTree, mode: EntryTree | undefined): MapTree {
  if (mode === undefined) return step;
  const spec = fieldOf(router, 'spec');
  const said = spec?.kind === 'map' ? spec : inline(map());
  if (entryOf(said, 'mode') !== undefined) return step;
  return replacedValue(step, 'next', put(router, 'spec', put(said, 'mode', mode.value, mode.at), mode.at));
}

const counted = (arcs: readonly unknown[]): string => (arcs.length === 1 ? 'one arc' : `${arcs.length} arcs`);
