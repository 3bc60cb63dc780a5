import { rewriteTemplate } from '../names/rewrite-template.ts';
import { entry, item, list, map } from '../tree/build.ts';
import { entryOf, fieldOf, replacedValue, revalued, textOf, withEntries, withItems } from '../tree/edit.ts';
import { respelled } from '../tree/respell.ts';
import type { ItemTree, MapTree } from '../tree/tree.ts';
import { policyRule, policySpec } from './policy-rule.ts';
import { type SetValues, setEntries } from './set-values.ts';
import type { StepFlow } from './step-flow.ts';

/** The step, and a step behind it where values are kept of a loop as a whole. */
export interface Keeping {
  readonly step: MapTree;
  readonly inserted: readonly MapTree[];
}

/**
 * What is kept of a loop as a whole is kept by a step behind it, which then goes on as the loop did. What follows a failure
 * of the loop still follows the loop.
 */
export function afterLoop(step: MapTree, values: SetValues, at: number, flow: StepFlow): Keeping {
  const name = freeName(`${flow.name}_vars`, flow);
  const next = fieldOf(step, 'next');
  const arcs = next?.kind === 'map' ? fieldOf(next, 'arcs') : undefined;
  const items = arcs?.kind === 'list' ? arcs.items : [];
  const failing = items.filter(isAboutFailure);
  const then = [entry('do', 'continue', at), ...setEntries(values, 'arcs', at, flow)];
  const task = map(entry('kind', 'noop', at), policySpec([policyRule(undefined, then, at)], at));
  const leading = list(...failing, item(map(entry('step', name, at)), at));
  const router = map(entry('arcs', leading, at));
  const moved = items.filter((arc) => !failing.includes(arc)).map(afterStep);
  const old = entryOf(step, 'next');
  const going =
    old === undefined || next?.kind !== 'map' || arcs?.kind !== 'list' || moved.length === 0
      ? []
      : [revalued(old, replacedValue(next, 'arcs', withItems(arcs, moved)))];
  const routed =
    old === undefined
      ? withEntries(step, [...step.entries, entry('next', router, at)])
      : replacedValue(step, 'next', router);
  return { step: routed, inserted: [map(entry('step', name, at), entry('tool', task, at), ...going)] };
}

function freeName(wanted: string, { facts }: StepFlow): string {
  let name = wanted;
  for (let n = 2; facts.steps.has(name); n += 1) name = `${wanted}_${n}`;
  return name;
}

const whenOf = ({ value }: ItemTree): string =>
  (value.kind === 'map' ? textOf(fieldOf(value, 'when')) : undefined) ?? '';

const isAboutFailure = (arc: ItemTree): boolean => /\bevent\b.*'step\.failed'/.test(whenOf(arc));

/** The step behind the loop ends by step.done. */
function afterStep(arc: ItemTree): ItemTree {
  const when = arc.value.kind === 'map' ? entryOf(arc.value, 'when') : undefined;
  if (when?.value.kind !== 'scalar' || arc.value.kind !== 'map') return arc;
  const { edits } = rewriteTemplate(whenOf(arc), {
    compared: ({ name }, constant) =>
      name === 'event' && constant === 'loop.done' ? { text: "'step.done'", rule: 'case-event' } : undefined,
  });
  return edits.length === 0 ? arc : revalued(arc, replacedValue(arc.value, 'when', respelled(when.value, edits)));
}
