import { entry, map } from '../tree/build.ts';
import { entryOf, rekeyed, replacedValue, revalued, textOf, withEntries, withEntry, without } from '../tree/edit.ts';
import type { EntryTree, ItemTree, MapTree, Tree } from '../tree/tree.ts';
import { conditionEntry } from './condition-entry.ts';
import type { StepFlow } from './step-flow.ts';
import type { Target } from './way.ts';

/** What an item of `next` says, in any dialect. */
export interface NextItem {
  readonly when: EntryTree | undefined;
  readonly targets: readonly Target[];
  /** Taken where no condition before it held. */
  readonly otherwise: boolean;
  readonly item: ItemTree;
  /** Values that go into ctx when it is taken (`set: { ctx.x: … }`). */
  readonly ctx: readonly EntryTree[];
}

/** Names that `args` of an arc had. */
const ARGS = ['with', 'input', 'data', 'payload'] as const;

export const NEXT_ITEM_KEYS: ReadonlySet<string> = new Set([
  'step',
  'when',
  'then',
  'else',
  'args',
  'set',
  'spec',
  ...ARGS,
]);

/** Undefined, with a problem, where it cannot be told. */
export function readNextItem(part: ItemTree, flow: StepFlow): NextItem | undefined {
  const name = textOf(part.value);
  if (name !== undefined) {
    const arc = map({ ...entry('step', part.value, part.at) });
    return { when: undefined, targets: [{ arc, item: part }], otherwise: false, item: part, ctx: [] };
  }
  if (part.value.kind !== 'map') return refused(part, 'is neither the name of a step nor a mapping', flow);
  const other = part.value.entries.find(({ key }) => !NEXT_ITEM_KEYS.has(key));
  if (other !== undefined) return refused({ ...part, at: other.at }, `has '${other.key}'`, flow);
  const otherwise = entryOf(part.value, 'else');
  if (otherwise !== undefined) return elseItem(part, otherwise, flow);
  const condition = entryOf(part.value, 'when');
  const when = condition && conditionEntry(condition, flow);
  if (condition !== undefined && when === undefined) return undefined;
  const renamed = when && revalued(when, flow.condition(when.value, 'arcs', when.at));
  const then = entryOf(part.value, 'then');
  if (then !== undefined) return thenItem(part, part.value, renamed, then, flow);
  if (entryOf(part.value, 'step') === undefined) return refused(part, "has no 'step'", flow);
  const read = readArc(part.value, flow);
  if (read === undefined) return undefined;
  const arc = renamed === undefined || renamed === condition ? read.arc : withEntry(read.arc, renamed);
  return { when: renamed, targets: [{ arc, item: part }], otherwise: false, item: part, ctx: read.ctx };
}

function elseItem(part: ItemTree, otherwise: EntryTree, flow: StepFlow): NextItem | undefined {
  const then =
    otherwise.value.kind === 'map' ? (entryOf(otherwise.value, 'then') ?? entryOf(otherwise.value, 'next')) : undefined;
  const targets = readTargets((then ?? otherwise).value, part, flow);
  return targets && { when: undefined, targets, otherwise: true, item: part, ctx: [] };
}

/** `{ when, then: [{ step }] }`; what stands beside `then` holds for all of its steps. */
function thenItem(
  part: ItemTree,
  tree: MapTree,
  when: EntryTree | undefined,
  then: EntryTree,
  flow: StepFlow,
): NextItem | undefined {
  const targets = readTargets(then.value, part, flow);
  const beside = readArc(without(tree, 'when', 'then'), flow);
  if (targets === undefined || beside === undefined) return undefined;
  const args = entryOf(beside.arc, 'args');
  const carrying = targets.map((target) =>
    args === undefined || isEmpty(args.value) || entryOf(target.arc, 'args') !== undefined
      ? target
      : { ...target, arc: withEntry(target.arc, args) },
  );
  return { when, targets: carrying, otherwise: false, item: part, ctx: beside.ctx };
}

const isEmpty = (tree: Tree): boolean => tree.kind === 'map' && tree.entries.length === 0;

/** One step, or a list of steps, that are all taken. */
export function readTargets(tree: Tree, part: ItemTree, flow: StepFlow): readonly Target[] | undefined {
  const items = tree.kind === 'list' ? tree.items : [revalued({ ...part, above: NOTHING, comment: '' }, tree)];
  const targets: Target[] = [];
  for (const one of items) {
    const read = readNextItem(one, flow);
    if (read === undefined) return undefined;
    if (read.when !== undefined || read.otherwise || read.ctx.length > 0) {
      refused(one, 'has a condition inside of what a condition leads to', flow);
      return undefined;
    }
    targets.push(...read.targets);
  }
  return targets;
}

const NOTHING = { lines: [], column: 0 };

/** An arc with `args` under that name, and what it wants to put into ctx. */
function readArc(
  tree: MapTree,
  flow: StepFlow,
): { readonly arc: MapTree; readonly ctx: readonly EntryTree[] } | undefined {
  let arc = tree;
  for (const key of ARGS) {
    const older = entryOf(arc, key);
    if (older === undefined) continue;
    flow.journal.note('next-args', older.at, `'${key}' of the arc is now 'args'`);
    arc = withArgs(arc, key, rekeyed(older, 'args'));
  }
  const set = entryOf(arc, 'set');
  const ctx: EntryTree[] = [];
  if (set !== undefined) {
    if (set.value.kind !== 'map') {
      flow.journal.problem(set.at, "'set' of the arc is no mapping", 'Write set as a mapping, then migrate.');
      return undefined;
    }
    const kept = set.value.entries.filter(({ key }) => key.startsWith('ctx.'));
    ctx.push(...kept.map((one) => rekeyed(one, one.key.slice(4))));
    const carried = set.value.entries.filter((one) => !kept.includes(one));
    if (carried.length > 0) flow.journal.note('next-args', set.at, "'set' of the arc is now 'args'");
    const named = carried.map((one) => (one.key.startsWith('args.') ? rekeyed(one, one.key.slice(5)) : one));
    const same = named.length === set.value.entries.length && named.every((one, i) => one === carried[i]);
    const tree = same ? set.value : withEntries(set.value, named);
    arc = carried.length === 0 ? without(arc, 'set') : withArgs(arc, 'set', rekeyed(revalued(set, tree), 'args'));
  }
  const args = entryOf(arc, 'args');
  if (args === undefined) return { arc, ctx };
  const renamed = flow.renamed(args.value, 'arcs', args.at);
  return { arc: renamed === args.value ? arc : replacedValue(arc, 'args', renamed), ctx };
}

/** The entry `key` becomes these args, or is added to those that are there. */
function withArgs(arc: MapTree, key: string, args: EntryTree): MapTree {
  const present = entryOf(arc, 'args');
  if (present?.value.kind === 'map' && args.value.kind === 'map') {
    const merged = args.value.entries.reduce((tree, one) => withEntry(tree, one), present.value);
    return replacedValue(without(arc, key), 'args', merged);
  }
  return withEntries(
    arc,
    arc.entries.map((one) => (one.key === key ? args : one)),
  );
}

function refused(part: ItemTree, what: string, { journal }: StepFlow): undefined {
  journal.problem(
    part.at,
    `an item of 'next' ${what}`,
    'Write the item as { step: … } with when and args where they are needed, then migrate.',
  );
  return undefined;
}
