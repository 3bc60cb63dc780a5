import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDigestSet } from './digest-set.ts';
import { createDigestTable } from './digest-table.ts';
import { jsonDigest } from './json-digest.ts';

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, shuffled(item)]),
  );
};

describe('the digest of a value', () => {
  it('does not depend on the order of keys, and tells different values apart', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [a, b] = [JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))];
        expect(jsonDigest(shuffled(a) as typeof a)).toBe(jsonDigest(a));
        const same = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
        expect(jsonDigest(a) === jsonDigest(b)).toBe(same);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is different for neighbours', () => {
    const digests = new Set<number>();
    for (let n = 0; n < 50_000; n++) {
      digests.add(jsonDigest(['task', 'start', 1, String(n), 'task_1', 1, 1, 0]));
      digests.add(jsonDigest({ result: n }));
      digests.add(jsonDigest([n]));
    }
    expect(digests.size).toBe(150_000);
  });
});

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
};

describe('the table and the set of digests', () => {
  it('are a map and a set', () => {
    const digest = fc.oneof(fc.nat(5), fc.maxSafeNat());
    fc.assert(
      fc.property(fc.array(fc.tuple(digest, digest), { maxLength: 3_000 }), fc.array(digest), (entries, asked) => {
        const [table, map] = [createDigestTable(), new Map<number, readonly [number, number]>()];
        const [set, known] = [createDigestSet(), new Set<number>()];
        for (const [at, [key, value]] of entries.entries()) {
          table.set(key, value, at);
          map.set(key || 1, [value, at]);
          expect(set.add(key)).toBe(!known.has(key || 1));
          known.add(key || 1);
        }
        expect(table.unmet).toBe(map.size);
        for (const key of [...entries.map(([key]) => key), ...asked]) {
          const expected = map.get(key || 1);
          expect(set.has(key)).toBe(known.has(key || 1));
          const met = table.meet(key);
          expect(met && [met.digest, met.at]).toEqual(expected);
          expect(table.isUnmet(key)).toBe(false);
        }
        expect(table.unmet).toBe(map.size - new Set(entries.map(([key]) => key || 1)).size);
      }),
      { numRuns: 50 },
    );
  });
});
