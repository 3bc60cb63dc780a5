/** Digests that were met: numbers in a flat array, where a set of them would take several times as much. */
export interface DigestSet {
  has(digest: number): boolean;
  /** False if it was there. */
  add(digest: number): boolean;
}

const FIRST_SIZE = 1 << 8;

export function createDigestSet(): DigestSet {
  let places = new Float64Array(FIRST_SIZE);
  let count = 0;

  function grow(): void {
    const old = places;
    places = new Float64Array(old.length * 2);
    for (const digest of old) if (digest !== 0) places[placeOf(places, digest)] = digest;
  }

  return {
    has: (digest) => places[placeOf(places, digest || 1)] !== 0,
    add(digest) {
      if (count * 10 >= places.length * 7) grow();
      const place = placeOf(places, digest || 1);
      if (places[place] !== 0) return false;
      places[place] = digest || 1;
      count += 1;
      return true;
    },
  };
}

/** The place of the digest, or the free one where it belongs. 0 marks a place that is free; sizes are powers of 2. */
export function placeOf(places: Float64Array, digest: number): number {
  const mask = places.length - 1;
  let place = (digest ^ (digest / 2 ** 21)) & mask;
  while (places[place] !== 0 && places[place] !== digest) place = (place + 1) & mask;
  return place;
}
