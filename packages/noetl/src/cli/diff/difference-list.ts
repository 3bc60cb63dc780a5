import { type About, type Comparable, unitOf } from './comparable-event.ts';
import { createDigestSet } from './digest-set.ts';
import { jsonDigest } from './json-digest.ts';

/** Something that two executions did not say alike, or that only one of them said. Places are those in the histories. */
export interface Found {
  readonly about: About;
  readonly a: Said | undefined;
  readonly b: Said | undefined;
}

export interface Said {
  readonly at: number;
  /** Undefined until it is read again. */
  readonly said: Comparable['said'] | undefined;
}

/**
 * The first differences, and how many there are: of each step run and iteration the first, because the rest follows from
 * it; of a step run that only one execution has, nothing below it; of the iterations of a loop the first few.
 */
export interface DifferenceList {
  /** In the order of the history of A; then those that only B has, in the order of its own. */
  add(found: Found): void;
  /** In the order of their places, whichever history has them. */
  first(): readonly Found[];
  readonly count: number;
}

/** The part of the list that the iterations of one loop may fill. */
const ITERATIONS_SHARE = 5;

export function createDifferenceList(most: number): DifferenceList {
  const [inA, onlyInB]: [Found[], Found[]] = [[], []];
  const units = createDigestSet();
  /** Runs that only one of the two has. */
  const alone = createDigestSet();
  const iterations = new Map<number, number>();
  let count = 0;
  return {
    first: () => [...inA, ...onlyInB].sort((one, other) => placeOf(one) - placeOf(other)).slice(0, most),
    get count() {
      return count;
    },
    add(found) {
      const { about } = found;
      const run = jsonDigest(unitOf({ ...about, path: '' }));
      if (alone.has(run)) return;
      const unit = about.path === '' ? run : jsonDigest(unitOf(about));
      if (!units.add(unit)) return;
      if (about.what === 'scheduled' && (found.a === undefined || found.b === undefined)) alone.add(run);
      count += 1;
      const nth = about.path === '' ? 0 : (iterations.get(run) ?? 0) + 1;
      if (nth > 0) iterations.set(run, nth);
      const list = found.a === undefined ? onlyInB : inA;
      if (nth <= Math.max(1, most / ITERATIONS_SHARE) && list.length < most) list.push(found);
    },
  };
}

const placeOf = ({ a, b }: Found): number => a?.at ?? b?.at ?? 0;
