import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyIntMap, firstInt, getInt, type IntMap, intEntries, intMapOf, removeInt, setInt } from './int-map.ts';

const key = fc.oneof(fc.nat(40), fc.nat(2_000_000));
const change = fc.record({ key, value: fc.option(fc.nat()) });

test('an IntMap behaves as a Map with ascending keys, and changing it leaves the old one as it was', () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const model = new Map<number, number>();
      let map: IntMap<number> = emptyIntMap;
      for (const { key, value } of changes) {
        const before = [...intEntries(map)];
        const next: IntMap<number> = value === null ? removeInt(map, key) : setInt(map, key, value);
        expect([...intEntries(map)]).toEqual(before);
        if (value === null) model.delete(key);
        else model.set(key, value);
        map = next;
        expect(getInt(map, key)).toBe(model.get(key));
      }
      const entries = [...model].sort(([a], [b]) => a - b);
      expect([...intEntries(map)]).toEqual(entries);
      expect(map.size).toBe(model.size);
      expect(firstInt(map)).toEqual(entries[0]);
      expect([...intEntries(intMapOf(entries))]).toEqual(entries);
    }),
  );
});
