import { item } from '../tree/build.ts';
import { entryOf, textOf } from '../tree/edit.ts';
import type { EntryTree, ListTree } from '../tree/tree.ts';
import { type NextItem, readNextItem } from './next-item.ts';
import type { StepFlow } from './step-flow.ts';
import type { Way } from './way.ts';

/** `next` as it was read. */
export type Next =
  | {
      /** The first way whose condition holds is taken. */
      readonly ways: readonly Way[];
      /** How the list stood. */
      readonly list: ListTree | undefined;
    }
  /** Arcs that are tried as they stand: seed 002, and routers. */
  | { readonly arcs: readonly NextItem[]; readonly list: ListTree | undefined };

/** Undefined, with a problem, where it cannot be told. */
export function readNext(next: EntryTree, flow: StepFlow): Next | undefined {
  const { value } = next;
  if (value.kind === 'scalar') return readSingle(next, flow);
  if (value.kind === 'map') {
    if (entryOf(value, 'step') !== undefined || entryOf(value, 'then') !== undefined) return readSingle(next, flow);
    flow.journal.problem(
      next.at,
      "'next' is a mapping that names no step",
      'Write next as a list of { step: … }, then migrate.',
    );
    return undefined;
  }
  const items = value.items.map((part) => readNextItem(part, flow));
  const read = items.filter((one) => one !== undefined);
  if (read.length < items.length) return undefined;
  const plain = read.every(({ targets, otherwise }) => targets.length === 1 && !otherwise);
  if (flow.tokens && plain) return { arcs: read, list: value };
  const ways = waysOf(read, next, flow);
  return ways && { ways, list: value };
}

function readSingle(next: EntryTree, flow: StepFlow): Next | undefined {
  const { value, at } = next;
  if (value.kind === 'scalar' && textOf(value) === undefined) {
    if (value.value === null) return { ways: [], list: undefined };
    flow.journal.problem(at, "'next' is no name of a step", 'Write next: <step>, then migrate.');
    return undefined;
  }
  const read = readNextItem(item(value, at), flow);
  if (read === undefined) return undefined;
  if (flow.tokens && read.targets.length === 1) return { arcs: [read], list: undefined };
  const ways = waysOf([read], next, flow);
  return ways && { ways, list: undefined };
}

/** Seeds 003 and 004: conditions in order, then what stands without one, all of it side by side. */
function waysOf(items: readonly NextItem[], next: EntryTree, { journal }: StepFlow): readonly Way[] | undefined {
  const conditional = items.filter(({ when }) => when !== undefined);
  const rest = items.filter(({ when }) => when === undefined);
  const late = items.findLastIndex(({ when }) => when !== undefined);
  const early = items.findIndex(({ when }) => when === undefined);
  if (early >= 0 && early < late) {
    journal.problem(
      items[early]?.item.at ?? next.at,
      'a step without a condition stands before steps with one, and whether it was taken beside them or instead of them cannot be told',
      'Put it last if it is taken where no condition holds, or give it a condition; then migrate.',
    );
    return undefined;
  }
  if (items.some(({ ctx }) => ctx.length > 0) && items.length > 1) {
    journal.problem(
      next.at,
      "one of several items of 'next' sets ctx",
      'Set the value in the policy of a task, then migrate.',
    );
    return undefined;
  }
  const ways: Way[] = conditional.map((one) => ({
    when: one.when,
    holds: conditionOf(one.when),
    boundary: 'success',
    targets: one.targets,
    at: one.item.at,
    above: one.targets[0]?.item === one.item ? undefined : one.item.above,
  }));
  const targets = rest.flatMap((one) => one.targets);
  const first = rest[0];
  if (first !== undefined)
    ways.push({
      when: undefined,
      holds: true,
      boundary: 'success',
      targets,
      at: first.item.at,
      above: first.targets[0]?.item === first.item ? undefined : first.item.above,
    });
  return ways;
}

/** Of a condition that is written as one `{{ … }}`. */
function conditionOf(when: EntryTree | undefined): string | true {
  const value = when?.value.kind === 'scalar' ? when.value.value : undefined;
  if (typeof value === 'string') return value;
  return value === true ? true : '{{ false }}';
}

/** What stands behind `case` as ways: seed 002 tried arcs in their order, too. */
export function waysIn(next: Next): readonly Way[] {
  if ('ways' in next) return next.ways;
  return next.arcs.map(({ when, targets, item: part }) => ({
    when,
    holds: when === undefined ? true : conditionOf(when),
    boundary: 'success',
    targets,
    at: part.at,
    above: undefined,
  }));
}
