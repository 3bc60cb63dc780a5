import { placeOf } from './digest-set.ts';

/**
 * What one execution said, by what it is about: numbers in flat arrays, so that a million take some tens of megabytes.
 * Keys are digests; 0 marks a place that is free.
 */
export interface DigestTable {
  set(key: number, digest: number, at: number): void;
  /** Where it was said, and what; marks it as met. */
  meet(key: number): { readonly digest: number; readonly at: number } | undefined;
  /** Whether what was said about the key was never met. */
  isUnmet(key: number): boolean;
  readonly unmet: number;
}

const FIRST_SIZE = 1 << 10;

export function createDigestTable(): DigestTable {
  let places = newPlaces(FIRST_SIZE);
  let count = 0;
  let met = 0;

  function grow(): void {
    const old = places;
    places = newPlaces(old.keys.length * 2);
    for (let from = 0; from < old.keys.length; from++) {
      const key = old.keys[from] ?? 0;
      if (key === 0) continue;
      const to = placeOf(places.keys, key);
      places.keys[to] = key;
      places.digests[to] = old.digests[from] ?? 0;
      places.positions[to] = old.positions[from] ?? 0;
      places.met[to] = old.met[from] ?? 0;
    }
  }

  return {
    set(key, digest, at) {
      if (count * 10 >= places.keys.length * 7) grow();
      const place = placeOf(places.keys, key || 1);
      if (places.keys[place] === 0) count += 1;
      places.keys[place] = key || 1;
      places.digests[place] = digest;
      places.positions[place] = at;
    },
    meet(key) {
      const place = placeOf(places.keys, key || 1);
      if (places.keys[place] === 0) return undefined;
      if (places.met[place] === 0) met += 1;
      places.met[place] = 1;
      return { digest: places.digests[place] ?? 0, at: places.positions[place] ?? 0 };
    },
    isUnmet(key) {
      const place = placeOf(places.keys, key || 1);
      return places.keys[place] !== 0 && places.met[place] === 0;
    },
    get unmet() {
      return count - met;
    },
  };
}

const newPlaces = (size: number) => ({
  keys: new Float64Array(size),
  digests: new Float64Array(size),
  positions: new Uint32Array(size),
  met: new Uint8Array(size),
});
