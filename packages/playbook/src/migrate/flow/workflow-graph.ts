import { entryOf, fieldOf, textOf } from '../tree/edit.ts';
import type { ItemTree, MapTree, Tree } from '../tree/tree.ts';

/** The steps of a workflow by name, and where each of them goes on. */
export interface WorkflowGraph {
  readonly steps: ReadonlyMap<string, MapTree>;
  /** The steps that arcs lead to, in order; only those that exist. */
  readonly next: ReadonlyMap<string, readonly string[]>;
}

export function workflowGraph(workflow: Tree | undefined): WorkflowGraph {
  const list = workflow?.kind === 'list' ? workflow.items.map(({ value }) => value) : [];
  const named = list.flatMap((step) => (step.kind === 'map' ? [[nameOf(step), step] as const] : []));
  const steps = new Map(named);
  const next = new Map(named.map(([name, step]) => [name, arcsOf(step).filter((to) => steps.has(to))]));
  return { steps, next };
}

export const nameOf = (step: MapTree): string => textOf(fieldOf(step, 'step')) ?? '';

/** The arcs out of a step. */
export function arcsIn(step: MapTree): readonly ItemTree[] {
  const next = fieldOf(step, 'next');
  const arcs = next?.kind === 'map' ? fieldOf(next, 'arcs') : undefined;
  return arcs?.kind === 'list' ? arcs.items : [];
}

/** The names of the steps that the arcs of a step lead to. */
const arcsOf = (step: MapTree): readonly string[] =>
  arcsIn(step).flatMap(({ value }) => (value.kind === 'map' ? (textOf(fieldOf(value, 'step')) ?? []) : []));

/** Whether the router takes every arc that holds. */
export function isInclusive(step: MapTree): boolean {
  const next = fieldOf(step, 'next');
  const spec = next?.kind === 'map' ? fieldOf(next, 'spec') : undefined;
  return spec?.kind === 'map' && textOf(fieldOf(spec, 'mode')) === 'inclusive';
}

/** The steps that can be reached from one, itself included, without going through another. */
export function reachable({ next }: WorkflowGraph, from: string, without: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [from];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name) || name === without) continue;
    seen.add(name);
    open.push(...(next.get(name) ?? []));
  }
  return seen;
}

/** The steps with an arc to a step. */
export const stepsBefore = ({ next }: WorkflowGraph, name: string): readonly string[] =>
  [...next].flatMap(([from, to]) => (to.includes(name) ? [from] : []));

/** The only step that follows, if its arc has no condition and no args. */
export function onlyNext(step: MapTree): string | undefined {
  const next = fieldOf(step, 'next');
  const arcs = next?.kind === 'map' ? fieldOf(next, 'arcs') : undefined;
  const [arc, ...more] = arcs?.kind === 'list' ? arcs.items : [];
  if (arc?.value.kind !== 'map' || more.length > 0) return undefined;
  return arc.value.entries.length === 1 ? textOf(entryOf(arc.value, 'step')?.value) : undefined;
}
