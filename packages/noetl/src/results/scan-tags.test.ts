import { TAG } from '@noetl/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanTags } from './scan-tags.ts';

const reference = (hint: string) => ({
  [TAG]: 'reference',
  store: 'file',
  key: 'k',
  checksum: 'c',
  size: 1,
  schema_hint: hint,
});

/** What is found in a text that comes in pieces of so many bytes. */
function found(text: string, size: number): readonly unknown[] {
  const scan = scanTags();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) scan.take(bytes.subarray(at, at + size));
  return scan.tags();
}

describe('what stands for other values in the bytes of one', () => {
  it('is found in its order, however the bytes come in pieces', () => {
    const hint = fc.string({ unit: 'binary' });
    const filler = fc.oneof(
      fc.jsonValue(),
      hint,
      hint.map((text) => JSON.stringify(reference(text))),
      fc.constant({ $$noetl: 'x' }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(filler, hint)), fc.integer({ min: 1, max: 50 }), (parts, size) => {
        const value = parts.map(([before, text]) => ({ before, inner: [reference(text)] }));
        expect(found(JSON.stringify(value), size)).toEqual(
          parts.map(([, text]) => JSON.parse(JSON.stringify(reference(text)))),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('is passed over where the bytes are damaged', () => {
    expect(found(`[{"${TAG}":"reference",},${JSON.stringify(reference('a'))}`, 7)).toEqual([reference('a')]);
    expect(found(`{"${TAG}":"reference`, 7)).toEqual([]);
  });
});
