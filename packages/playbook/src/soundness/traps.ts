/** What may come next after one place; undefined if everything may end there. */
export interface Ways<Place> {
  readonly places: readonly Place[];
  /** Whether all of them must stay inside for nothing to leave, or some one of them is enough. */
  readonly staying: 'all' | 'some';
}

type WaysFrom<Place> = (place: Place) => Ways<Place> | undefined;

/** The places from which nothing ever leaves: whatever way is taken, one of them follows. */
export function trapOf<Place>(places: Iterable<Place>, waysFrom: WaysFrom<Place>): ReadonlySet<Place> {
  const trap = new Set(places);
  const before = new Map<Place, Place[]>();
  for (const place of trap) {
    for (const next of waysFrom(place)?.places ?? []) {
      const sources = before.get(next);
      if (sources === undefined) before.set(next, [place]);
      else sources.push(place);
    }
  }
  // Whoever can get out lets those before it out.
  const open = [...trap];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (!trap.has(place) || stays(waysFrom(place), trap)) continue;
    trap.delete(place);
    open.push(...(before.get(place) ?? []));
  }
  return trap;
}

/** Whether a place keeps what comes to it inside of `places`. */
export function stays<Place>(ways: Ways<Place> | undefined, places: ReadonlySet<Place>): boolean {
  if (ways === undefined || ways.places.length === 0) return false;
  return ways.staying === 'all'
    ? ways.places.every((next) => places.has(next))
    : ways.places.some((next) => places.has(next));
}
