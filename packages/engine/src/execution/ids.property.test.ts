import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { childId, packed, packedTokens, unpacked, unpackedTokens, type Work, workKey } from './ids.ts';

const small = fc.nat(12);
const work: fc.Arbitrary<Work> = fc.record({ run: small, path: fc.array(small, { maxLength: 2 }) });

describe('lists of ids in events (RES-1)', () => {
  it('are the same after packing', () => {
    fc.assert(
      fc.property(fc.array(work), (works) => {
        const keys = works.map(workKey);
        expect(unpacked(packed(keys))).toEqual(keys);
        const children = works.map((caller) => childId('e-1', caller, 0, 1, caller.run));
        expect(unpacked(packed(children))).toEqual(children);
        const tokens = works.map(({ run }) => run);
        expect(unpackedTokens(packedTokens(tokens))).toEqual(tokens);
      }),
    );
  });
  it('hold ranges of the innermost index', () => {
    const iterations = Array.from({ length: 12_000 }, (_, index) => ({ run: 1, path: [7, index] }));
    expect(packed(['1', ...iterations.map(workKey), '3', '4'])).toEqual(['1', '1:7.0..11999', '3', '4']);
    expect(packed(iterations.map((caller) => childId('e', caller, 2, 1, 1)))).toEqual(['e-1-7-0..11999-2-1-1']);
  });
});
