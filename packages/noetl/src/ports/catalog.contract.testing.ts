import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Catalog } from './catalog.ts';

/** An empty catalog under test. */
export interface OpenedCatalog {
  readonly catalog: Catalog;
  close(): Promise<void>;
}

/** What every catalog promises. */
export function catalogContract(name: string, open: () => Promise<OpenedCatalog>): void {
  describe(`the catalog (${name})`, () => {
    let catalog: Catalog;
    let close: () => Promise<void>;
    beforeEach(async () => {
      ({ catalog, close } = await open());
    });
    afterEach(() => close());

    const register = (path: string, text: string, now = 0) => catalog.register(path, text, `hash of ${text}`, now);
    const entry = (path: string, version: number, text: string, registeredAt = 0) => ({
      path,
      version,
      text,
      contentHash: `hash of ${text}`,
      registeredAt,
    });
    const history = (path: string, before?: number, limit = 100) => catalog.history(path, before, limit);
    const paths = async (after = '', limit = 100) => (await catalog.list(after, limit)).map(({ path }) => path);

    it('counts the versions of each path from 1', async () => {
      expect(await register('a', 'one', 5)).toEqual(entry('a', 1, 'one', 5));
      expect(await register('a', 'two', 6)).toEqual(entry('a', 2, 'two', 6));
      expect(await register('b', 'one', 7)).toEqual(entry('b', 1, 'one', 7));
    });

    it('gives no new version to what the newest one says already', async () => {
      const first = await register('a', 'one', 5);
      expect(await register('a', 'one', 6)).toEqual(first);
      expect(await history('a')).toEqual([first]);
    });

    it('gives a new version to what only an older one said', async () => {
      for (const text of ['one', 'two', 'one']) await register('a', text);
      expect(await history('a')).toEqual([entry('a', 3, 'one'), entry('a', 2, 'two'), entry('a', 1, 'one')]);
    });

    it('pages over the versions of a path, newest first', async () => {
      for (const text of ['one', 'two', 'three']) await register('a', text);
      expect(await history('a', undefined, 2)).toEqual([entry('a', 3, 'three'), entry('a', 2, 'two')]);
      expect(await history('a', 2, 2)).toEqual([entry('a', 1, 'one')]);
      expect(await history('a', 1, 2)).toEqual([]);
    });

    it('gives the newest version, or the one that is named', async () => {
      for (const text of ['one', 'two']) await register('a', text);
      expect(await catalog.get('a')).toEqual(entry('a', 2, 'two'));
      expect(await catalog.get('a', 1)).toEqual(entry('a', 1, 'one'));
      expect(await catalog.get('a', 2)).toEqual(entry('a', 2, 'two'));
    });

    it('knows nothing of paths, versions and contents that were not registered', async () => {
      await register('a', 'one');
      const unknown = [catalog.get('b'), catalog.get('a', 2), catalog.get('a', 0), catalog.get('a', -1)];
      expect(await Promise.all(unknown)).toEqual(unknown.map(() => undefined));
      expect(await catalog.byHash('hash of two')).toBeUndefined();
      expect(await history('b')).toEqual([]);
      expect(await catalog.get('A')).toBeUndefined();
    });

    it('finds a text by its hash, also an old one and one with two paths', async () => {
      for (const text of ['one', 'two']) await register('a', text);
      await register('b', 'one');
      expect(await catalog.byHash('hash of one')).toMatchObject({ text: 'one', contentHash: 'hash of one' });
      expect(await catalog.byHash('hash of two')).toEqual(entry('a', 2, 'two'));
    });

    it('lists the newest version of each path, in pages', async () => {
      for (const path of ['c', 'a', 'b', 'a']) await register(path, `${path} ${await catalog.get(path).then(Boolean)}`);
      expect(await catalog.list('', 2)).toEqual([entry('a', 2, 'a true'), entry('b', 1, 'b false')]);
      expect(await paths('b', 2)).toEqual(['c']);
      expect(await paths('bb', 2)).toEqual(['c']);
      expect(await paths('c', 2)).toEqual([]);
    });

    it('orders paths by their bytes, whatever the language of the machine', async () => {
      const ordered = ['B', '_', 'a', 'a-b', 'a/b', 'a0', 'aa', 'b', 'ä', '\uffee', '𝄞'];
      for (const path of ordered.toReversed()) await register(path, 'text');
      expect(await paths()).toEqual(ordered);
      expect(await paths('a/b', 3)).toEqual(['a0', 'aa', 'b']);
    });

    it('pages over all paths, each once', async () => {
      const names = fc.uniqueArray(fc.string({ minLength: 1, unit: 'grapheme' }), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(names, fc.integer({ min: 1, max: 5 }), async (all, size) => {
          const each = await open();
          for (const path of all) await each.catalog.register(path, 'text', 'hash', 0);
          const read: string[] = [];
          for (let pages = 0; pages <= all.length; pages++) {
            const page = await each.catalog.list(read.at(-1) ?? '', size);
            read.push(...page.map(({ path }) => path));
            if (page.length < size) break;
          }
          await each.close();
          expect(read.toSorted()).toEqual(all.toSorted());
        }),
        { numRuns: 30 },
      );
    });

    it('keeps texts as they are', async () => {
      const text = `# ä 𝄞\r\n\ttab\n${'x'.repeat(1_000_000)}`;
      await register('long', text);
      expect((await catalog.get('long'))?.text).toBe(text);
    });

    it('keeps what a text was translated from, in every answer', async () => {
      const original = {
        text: 'ö\r\nold',
        origins: [
          { line: 1, shift: -2, column: 1 },
          { line: 2, shift: undefined, column: 7 },
        ],
      };
      await register('a', 'one');
      const upgraded = { ...entry('a', 2, 'one'), contentHash: 'hash of both', original };
      expect(await catalog.register('a', 'one', 'hash of both', 0, original)).toEqual(upgraded);
      expect(await catalog.register('a', 'one', 'hash of both', 0, original)).toEqual(upgraded);
      expect(await catalog.get('a', 2)).toEqual(upgraded);
      expect(await catalog.byHash('hash of both')).toEqual(upgraded);
      expect(await catalog.list('', 9)).toEqual([upgraded]);
      expect(await history('a')).toEqual([upgraded, entry('a', 1, 'one')]);
    });

    it('counts without gaps when many register at once, and once when they register the same', async () => {
      const different = Array.from({ length: 20 }, (_, nth) => register('different', `text ${nth}`));
      const versions = (await Promise.all(different)).map(({ version }) => version);
      expect(versions.toSorted((one, other) => one - other)).toEqual(different.map((_, nth) => nth + 1));
      await Promise.all(Array.from({ length: 20 }, () => register('same', 'text')));
      expect(await history('same')).toHaveLength(1);
    });
  });
}
