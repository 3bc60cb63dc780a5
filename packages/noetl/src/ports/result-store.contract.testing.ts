import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { type ResultReference, TAG } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultStore } from './result-store.ts';

/** A result store under test. */
export interface OpenedResults {
  readonly results: ResultStore;
  /** Changes a byte of what is stored under the key, behind the store's back. */
  damage(key: string): Promise<void>;
  close(): Promise<void>;
}

/** What every result store promises. */
export function resultStoreContract(name: string, open: () => Promise<OpenedResults>): void {
  describe(`the result store (${name})`, () => {
    let opened: OpenedResults;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const kept = async (value: Json): Promise<string> =>
      JSON.stringify(await opened.results.get(await opened.results.put(value)));

    it('gives back what was put, byte for byte', async () => {
      await fc.assert(
        fc.asyncProperty(fc.jsonValue({ stringUnit: 'binary' }), async (value) => {
          expect(await kept(value as Json)).toBe(JSON.stringify({ kind: 'value', value }));
        }),
        { numRuns: 100 },
      );
    });

    async function* piecesOf(text: string, length: number): AsyncGenerator<Uint8Array> {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
    }
    const readBack = async (reference: ResultReference): Promise<string> => text(opened.results.read(reference));

    it('takes and gives JSON in pieces, under the name that the whole has', async () => {
      const value = { list: Array.from({ length: 30_000 }, (_, row) => ({ row, text: 'äß𝄞"' })) };
      const json = JSON.stringify(value);
      const reference = await opened.results.putPieces(piecesOf(json, 1_000), () => 'object{list}');
      expect(reference).toEqual(await opened.results.put(value));
      expect(await opened.results.get(reference)).toEqual({ kind: 'value', value });
      expect(await readBack(reference)).toBe(json);
      await opened.results.remove([reference]);
      await opened.results.putPieces(piecesOf(json, 100_000), () => '');
      expect(await readBack(reference)).toBe(json);
    });

    it('passes on what goes wrong with the pieces, and keeps nothing of them', async () => {
      async function* broken() {
        yield Buffer.from('[1,');
        throw new Error('the line is cut');
      }
      await expect(opened.results.putPieces(broken(), () => '')).rejects.toThrow('the line is cut');
    });

    it('ends with an error where pieces are missing, or are not what was put (RES-2)', async () => {
      const reference = await opened.results.put('pieces'.repeat(100_000));
      await opened.damage(reference.key);
      await expect(readBack(reference)).rejects.toMatchObject({ name: 'ResultLost', kind: 'corrupt' });
      await opened.results.remove([reference]);
      await expect(readBack(reference)).rejects.toMatchObject({ name: 'ResultLost', kind: 'missing' });
    });

    it('keeps values of several megabytes, and the order of keys', async () => {
      const value = { z: Array.from({ length: 20_000 }, (_, row) => ({ row, b: 'ä'.repeat(50), a: null })), a: 1 };
      expect(await kept(value)).toBe(JSON.stringify({ kind: 'value', value }));
    });

    it('says in a reference what it is about: store, key, checksum, size in bytes and shape (RES-1)', async () => {
      const hash = createHash('sha256').update('["ä"]').digest('hex');
      expect(await opened.results.put(['ä'])).toEqual({
        [TAG]: 'reference',
        store: opened.results.name,
        key: expect.any(String),
        checksum: `sha256:${hash}`,
        size: 6,
        schema_hint: 'list[1]',
      });
    });

    const shapes: readonly (readonly [shape: string, value: Json])[] = [
      ['null', null],
      ['boolean', true],
      ['number', 1.5],
      ['string', 'text'],
      ['list[20000]', Array.from({ length: 20_000 }, () => 0)],
      ['list[0]', []],
      ['object{}', {}],
      ['object{b,a}', { b: 1, a: { c: 2 } }],
      ['object{a,b,c,d,e,f,g,h,…}', { a: 0, b: 0, c: 0, d: 0, e: 0, f: 0, g: 0, h: 0, i: 0 }],
      [`object{${'𝄞'.repeat(32)}…}`, { ['𝄞'.repeat(33)]: 0 }],
    ];
    it.each(shapes)('hints at the shape %s', async (shape, value) => {
      expect((await opened.results.put(value)).schema_hint).toBe(shape);
    });

    it('has one key for the same value, and another for another', async () => {
      const put = (value: Json) => opened.results.put(value);
      expect(await put({ a: [1] })).toEqual(await put({ a: [1] }));
      expect((await put({ a: [1] })).key).not.toBe((await put({ a: [2] })).key);
    });

    it('keeps what it was given, whatever callers do to their values', async () => {
      const value = { list: [1] };
      const reference = await opened.results.put(value);
      value.list.push(2);
      const first = await opened.results.get(reference);
      if (first.kind === 'value') Object.assign(first.value as object, { list: 'other' });
      expect(await opened.results.get(reference)).toEqual({ kind: 'value', value: { list: [1] } });
    });

    it('says that a value is missing after it was removed, and takes it again', async () => {
      const [one, two] = [await opened.results.put('one'), await opened.results.put('two')];
      await opened.results.remove([one, one, { ...one, key: 'f'.repeat(64) }]);
      expect(await opened.results.get(one)).toEqual({ kind: 'missing' });
      expect(await opened.results.get(two)).toEqual({ kind: 'value', value: 'two' });
      await opened.results.put('one');
      expect(await opened.results.get(one)).toEqual({ kind: 'value', value: 'one' });
    });

    it('says that a value is corrupt when its bytes or its checksum are not what they were (RES-2)', async () => {
      const reference = await opened.results.put('whole');
      const other: ResultReference = { ...reference, checksum: `sha256:${'0'.repeat(64)}` };
      expect(await opened.results.get(other)).toEqual({ kind: 'corrupt' });
      await opened.damage(reference.key);
      expect(await opened.results.get(reference)).toEqual({ kind: 'corrupt' });
    });

    it('mends a damaged value when it is put again', async () => {
      const reference = await opened.results.put('mended');
      await opened.damage(reference.key);
      await opened.results.put('mended');
      expect(await opened.results.get(reference)).toEqual({ kind: 'value', value: 'mended' });
    });

    it('takes the same value from many at once', async () => {
      const value = 'x'.repeat(100_000);
      const references = await Promise.all(Array.from({ length: 20 }, () => opened.results.put(value)));
      expect(new Set(references.map(({ key }) => key)).size).toBe(1);
      expect(await opened.results.get(references[0] as ResultReference)).toEqual({ kind: 'value', value });
    });

    it('finds out whether a value is still what was put, and what stands in it for others', async () => {
      const inner = await opened.results.put('inner'.repeat(50));
      const manifest = {
        [TAG]: 'manifest',
        total: 1,
        ok: 1,
        failed: 0,
        sources: [{ execution_id: 'a}', loop: 'a:1', until: null }],
      };
      const filler = 'ä"\\{'.repeat(30_000);
      const value = {
        filler,
        inner,
        text: JSON.stringify(inner),
        escaped: { $$noetl: 'reference' },
        list: [filler, manifest],
      };
      const reference = await opened.results.put(value);
      expect(await opened.results.inspect(reference)).toEqual({ kind: 'intact', tags: [inner, manifest] });
      expect(await opened.results.inspect({ ...reference, size: 5 })).toMatchObject({
        kind: 'changed',
        what: 'size',
        expected: '5 bytes',
        found: `${reference.size} bytes`,
      });
      const other = `sha256:${'0'.repeat(64)}`;
      expect(await opened.results.inspect({ ...reference, checksum: other })).toMatchObject({
        kind: 'changed',
        what: 'checksum',
        expected: other,
        found: reference.checksum,
      });
    });

    it('names the place where a value is missing, or is not what was put', async () => {
      const reference = await opened.results.put('damaged soon');
      await opened.damage(reference.key);
      const place = expect.stringContaining(reference.key);
      expect(await opened.results.inspect(reference)).toMatchObject({ kind: 'changed', place });
      await opened.results.remove([reference]);
      expect(await opened.results.inspect(reference)).toEqual({ kind: 'missing', place });
    });
  });
}
