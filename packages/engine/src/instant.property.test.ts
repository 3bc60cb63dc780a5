import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instantOf, timestampOf } from './instant.ts';

const instant = fc.integer({ min: Date.UTC(0, 0, 1), max: Date.UTC(9999, 11, 31) });

test('timestamps are those of the platform, and give their instant back', () => {
  fc.assert(
    fc.property(instant, (ms) => {
      expect(timestampOf(ms)).toBe(new Date(ms).toISOString());
      expect(instantOf(timestampOf(ms))).toBe(ms);
    }),
  );
});
