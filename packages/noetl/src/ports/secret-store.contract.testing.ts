import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Seal, SealedCredential, SecretStore } from './secret-store.ts';

/** An empty secret store under test. */
export interface OpenedSecrets {
  readonly secrets: SecretStore;
  close(): Promise<void>;
}

const K1: Seal = { store: 's', key: 'k1' };
const K2: Seal = { store: 's', key: 'k2' };
const entry = (name: string, sealed = `sealed ${name}`): SealedCredential => ({
  name,
  kind: 'bearer',
  fields: ['token'],
  setAt: 5,
  sealed,
});

/** What every secret store promises. */
export function secretStoreContract(name: string, open: () => Promise<OpenedSecrets>): void {
  describe(`SEC-2: the secret store (${name})`, () => {
    let secrets: SecretStore;
    let close: () => Promise<void>;
    beforeEach(async () => {
      ({ secrets, close } = await open());
    });
    afterEach(() => close());

    const texts = async () => (await secrets.list()).map(({ sealed }) => sealed);

    it('is sealed by its first entry', async () => {
      expect(await secrets.seal()).toBeUndefined();
      expect(await secrets.put(entry('a'), K1)).toBe('kept');
      expect(await secrets.seal()).toEqual(K1);
    });

    it('keeps entries by name, the newest of a name', async () => {
      for (const each of [entry('b'), entry('a', 'first'), entry('a', 'second')]) await secrets.put(each, K1);
      expect(await secrets.get('a')).toEqual(entry('a', 'second'));
      expect(await secrets.get('A')).toBeUndefined();
      expect(await secrets.list()).toEqual([entry('a', 'second'), entry('b')]);
    });

    it('orders names by their bytes', async () => {
      const ordered = ['B', '_', 'a', 'a-b', 'a0', 'ä', '\uffee', '𝄞'];
      for (const each of ordered.toReversed()) await secrets.put(entry(each), K1);
      expect((await secrets.list()).map((each) => each.name)).toEqual(ordered);
    });

    it('refuses an entry under another key, and keeps nothing of it', async () => {
      await secrets.put(entry('a'), K1);
      expect(await secrets.put(entry('b'), K2)).toBe('refused');
      expect(await secrets.put(entry('a', 'other'), { ...K1, store: 'another' })).toBe('refused');
      expect(await secrets.list()).toEqual([entry('a')]);
    });

    it('removes entries, and says which were there', async () => {
      for (const each of ['a', 'b', 'c']) await secrets.put(entry(each), K1);
      expect(await secrets.remove(['c', 'x', 'a'])).toEqual(['c', 'a']);
      expect(await secrets.list()).toEqual([entry('b')]);
      expect(await secrets.remove([])).toEqual([]);
    });

    it('can be sealed with another key once all entries are gone', async () => {
      await secrets.put(entry('a'), K1);
      await secrets.remove(['a']);
      expect(await secrets.seal()).toEqual(K1);
      expect(await secrets.put(entry('b'), K2)).toBe('kept');
      expect(await secrets.seal()).toEqual(K2);
    });

    it('puts all entries under another key at once', async () => {
      for (const each of ['a', 'b']) await secrets.put(entry(each), K1);
      const after = [entry('a', 'a anew'), entry('b', 'b anew')];
      expect(await secrets.reseal(K1, K2, await texts(), after)).toBe('kept');
      expect(await secrets.seal()).toEqual(K2);
      expect(await secrets.list()).toEqual(after);
      expect(await secrets.put(entry('c'), K1)).toBe('refused');
    });

    it.each([
      ['one was set meanwhile', () => secrets.put(entry('a', 'changed'), K1)],
      ['one came', () => secrets.put(entry('c'), K1)],
      ['one is gone', () => secrets.remove(['a'])],
    ])('refuses a new key for entries of which %s, and changes nothing', async (_, meanwhile) => {
      for (const each of ['a', 'b']) await secrets.put(entry(each), K1);
      const before = await texts();
      await meanwhile();
      const then = await secrets.list();
      expect(await secrets.reseal(K1, K2, before, [entry('a', 'anew'), entry('b', 'anew')])).toBe('refused');
      expect(await secrets.seal()).toEqual(K1);
      expect(await secrets.list()).toEqual(then);
    });

    it('refuses a new key to who knows an old one', async () => {
      await secrets.put(entry('a'), K1);
      expect(await secrets.reseal(K2, K1, await texts(), [entry('a', 'anew')])).toBe('refused');
      expect(await secrets.list()).toEqual([entry('a')]);
    });

    it('lets one of several win who seal it first', async () => {
      const answers = await Promise.all(
        [K1, K2, K1, K2].map((seal, nth) => secrets.put(entry(`${nth}`), { ...seal, store: `${nth}` })),
      );
      expect(answers.filter((answer) => answer === 'kept')).toHaveLength(1);
    });
  });
}
