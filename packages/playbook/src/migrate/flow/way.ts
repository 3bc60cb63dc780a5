import { conjunction, negated } from '../names/condition.ts';
import { entry } from '../tree/build.ts';
import { below, entryOf, revalued, withEntry, without } from '../tree/edit.ts';
import type { Above, EntryTree, ItemTree, MapTree } from '../tree/tree.ts';

/** A step that a run may go on to. */
export interface Target {
  /** The arc to it: `step`, and `args` and `spec` where they are given. */
  readonly arc: MapTree;
  /** How it stands in its list. */
  readonly item: ItemTree;
}

/** One of several ways to go on, of which the first whose condition holds is taken. */
export interface Way {
  /** The condition as it stands in an arc; undefined where it always holds. */
  readonly when: EntryTree | undefined;
  /** What has to be false for a later way: the condition without its test of the event; true where it always holds. */
  readonly holds: string | true;
  /** Failures are told apart by `event`: what is false after one says nothing of the other. */
  readonly boundary: 'success' | 'failure';
  /** None where the branch ends. */
  readonly targets: readonly Target[];
  readonly at: number;
  /** Comments that stood above it. */
  readonly above: Above | undefined;
}

export interface Routes {
  readonly mode: 'exclusive' | 'inclusive';
  readonly arcs: readonly ItemTree[];
}

/**
 * The arcs of ways. Where a way has several targets all of them are taken: then the router takes every arc that holds,
 * and each way says itself that no earlier one did.
 */
export function routesOf(ways: readonly Way[]): Routes {
  const parallel = ways.some(({ targets }) => targets.length > 1);
  const reachable = ways.filter(
    (way, i) =>
      !ways.slice(0, i).some((earlier) => shadows(earlier, way) && (parallel || earlier.targets.length === 0)),
  );
  const arcs = reachable.flatMap((way, i) => {
    const earlier = reachable
      .slice(0, i)
      .filter(({ boundary, targets }) => boundary === way.boundary && (parallel || targets.length === 0));
    const when = unless(way, earlier);
    return way.targets.map((target, n) => arcOf(target, n === 0 ? when : plain(when), n === 0 ? way.above : undefined));
  });
  return { mode: parallel ? 'inclusive' : 'exclusive', arcs };
}

/** A way that always holds leaves nothing to later ones. */
const shadows = (earlier: Way, later: Way): boolean => earlier.holds === true && earlier.boundary === later.boundary;

function unless(way: Way, earlier: readonly Way[]): EntryTree | undefined {
  const others = earlier.flatMap(({ holds }) => (holds === true ? [] : [negated(holds)]));
  if (others.length === 0) return way.when;
  const own = way.when?.value.kind === 'scalar' ? way.when.value.value : undefined;
  const text = conjunction([...(typeof own === 'string' || typeof own === 'boolean' ? [own] : []), ...others]);
  const fresh = entry('when', text, way.when?.at ?? way.at);
  return way.when === undefined ? fresh : revalued(way.when, fresh.value);
}

/** The same condition without the comments of its first place. */
const plain = (when: EntryTree | undefined): EntryTree | undefined =>
  when === undefined ? undefined : entry('when', when.value, when.at);

function arcOf({ arc, item }: Target, when: EntryTree | undefined, above: Above | undefined): ItemTree {
  const moved = revalued(item, withWhen(arc, when));
  return above === undefined ? moved : below(moved, above);
}

function withWhen(arc: MapTree, when: EntryTree | undefined): MapTree {
  if (when === undefined) return without(arc, 'when');
  return entryOf(arc, 'when') === when ? arc : withEntry(arc, when, { after: 'step' });
}
