import { escapeTags, type ResultReference, TAG } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import { createMemoryResults } from '../results/memory.ts';
import { createMemoryStore } from '../stores/memory/store.ts';
import { textPieces, valuePieces } from './value-pieces.ts';

const results = createMemoryResults();
/** The same store, that gives what it has in pieces of a few bytes. */
const crumbling = (length: number) => ({
  ...results,
  async *read(reference: ResultReference) {
    for await (const piece of results.read(reference)) {
      for (let at = 0; at < piece.length; at += length) yield piece.subarray(at, at + length);
    }
  },
});
const store = createMemoryStore(createVirtualClock());
const folderOf = (length: number) => ({ store, results: crumbling(length) });

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

const cut = fc.integer({ min: 1, max: 40 });
const anyKeys = fc.dictionary(fc.constantFrom('a', TAG, '$$noetl', '"$$noetl'), fc.jsonValue());

describe('a value in pieces, as users know it', () => {
  it('is what was stored, however deep references are and however the bytes are cut (RES-2)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ stringUnit: 'binary' }), anyKeys, cut, async (one, two, length) => {
        const [inner, outer] = [one as Json, two as Json];
        const reference = await results.put(escapeTags(inner));
        const nested = await results.put({ list: [reference, escapeTags(outer)], text: JSON.stringify(reference) });
        const value = { nested, plain: escapeTags(outer) };
        const text = await joined(valuePieces(value, folderOf(length)));
        expect(JSON.parse(text)).toEqual(
          JSON.parse(
            JSON.stringify({ nested: { list: [inner, outer], text: JSON.stringify(reference) }, plain: outer }),
          ),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('is the text itself where it is one', async () => {
    const text = fc.string({ unit: fc.constantFrom('"', '\\', 'u', '0', 'a', 'ä', '𝄞', '\n', '\u0000', '\ud800') });
    await fc.assert(
      fc.asyncProperty(text, cut, async (value, length) => {
        const pieces = textPieces(await results.put(value), folderOf(length));
        expect(pieces && (await joined(pieces))).toBe(value);
      }),
      { numRuns: 500 },
    );
    expect(textPieces(await results.put(['list']), folderOf(9))).toBeUndefined();
  });

  it('ends with a sentence where something is lost', async () => {
    const reference = await results.put('lost');
    await results.remove([reference]);
    await expect(joined(valuePieces([reference], folderOf(9)))).rejects.toThrow(
      /^error: the stored result .* is missing/,
    );
  });

  it('comes in few pieces, also if it has many small parts', async () => {
    const references = await Promise.all(Array.from({ length: 2_000 }, (_, nth) => results.put(nth)));
    let count = 0;
    for await (const _ of valuePieces(references, folderOf(9))) count += 1;
    expect(count).toBe(1);
  });
});
