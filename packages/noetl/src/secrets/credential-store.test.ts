import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SecretStore } from '../ports/secret-store.ts';
import { createMemorySecrets } from '../stores/memory/secret-store.ts';
import { type KeySource, openCredentialStore } from './credential-store.ts';

let folder: string;
let sealed: SecretStore;
let own: KeySource;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'noetl-keys-'));
  sealed = createMemorySecrets();
  own = { kind: 'own', folder };
});
afterEach(() => rmSync(folder, { recursive: true }));

const store = (source: KeySource = own, secrets = sealed) => openCredentialStore(secrets, source);
const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const text = (byte: number, next?: number): KeySource => ({
  kind: 'text',
  text: key(byte),
  next: next === undefined ? undefined : key(next),
});
const VALUE = { token: 'tok-12345' };

async function three(source: KeySource = own): Promise<void> {
  for (const name of ['a', 'b', 'c']) await store(source).set(name, 'bearer', VALUE, 5);
}
const opened = (source: KeySource = own) =>
  Promise.all(['a', 'b', 'c'].map(async (name) => (await store(source).open(name))?.value));

describe('SEC-2: the credential store', () => {
  it('opens what was set, also with a key file that another process made', async () => {
    await store().set('api', 'bearer', VALUE, 5);
    expect(await store().open('api')).toEqual({ kind: 'bearer', value: VALUE });
    expect(await store().list()).toEqual([{ name: 'api', kind: 'bearer', fields: ['token'], setAt: 5 }]);
    expect(await store().open('other')).toBeUndefined();
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('has one key, however many set the first credential at once', async () => {
    await Promise.all(['a', 'b', 'c'].map((name) => store().set(name, 'bearer', VALUE, 5)));
    expect(await opened()).toEqual([VALUE, VALUE, VALUE]);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('finds out entries that were swapped, and names the one it was asked for', async () => {
    await three();
    const [a, b] = [await sealed.get('a'), await sealed.get('b')];
    const seal = await sealed.seal();
    if (a === undefined || b === undefined || seal === undefined) throw new Error('they were set');
    await sealed.put({ ...a, sealed: b.sealed }, seal);
    await expect(store().open('a')).rejects.toThrow(
      "the credential 'a' is damaged, or was moved from another name. Set it again: noetl credential set a",
    );
    expect(await store().damaged()).toEqual(['a']);
    await expect(store().rotate()).rejects.toThrow("the credential 'a' is damaged");
    expect((await store().open('c'))?.value).toEqual(VALUE);
  });

  it.each([
    ['a wrong key', () => text(2), 'the key in NOETL_KEY is another one'],
    ['its own file, which was never made', () => own, "and its file '"],
    [
      'a file that is not there',
      () => ({ kind: 'file', file: join(folder, 'x'), next: undefined }) as const,
      'not there',
    ],
  ])('refuses to open with %s, and to set beside', async (_, source, message) => {
    await three(text(1));
    await expect(store(source()).open('a')).rejects.toThrow(message);
    await expect(store(source()).set('d', 'secret', 'x', 5)).rejects.toThrow(message);
    expect(await sealed.list()).toHaveLength(3);
  });

  it('refuses a text that is no key', () => {
    expect(() => store({ kind: 'text', text: 'short', next: undefined })).toThrow('NOETL_KEY holds no key');
  });

  it('can be begun anew after its key was lost, once all entries are removed', async () => {
    await three();
    for (const file of readdirSync(folder)) rmSync(join(folder, file));
    await expect(store().open('a')).rejects.toThrow('if it is lost, remove the credentials and set them again');
    expect(await store().remove(['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
    await three();
    expect(await opened()).toEqual([VALUE, VALUE, VALUE]);
  });

  it('makes the file that it is told to keep its key in', async () => {
    const source: KeySource = { kind: 'file', file: join(folder, 'my.key'), next: undefined };
    await three(source);
    expect(readdirSync(folder)).toEqual(['my.key']);
    expect(await opened(source)).toEqual([VALUE, VALUE, VALUE]);
  });
});

describe('SEC-2: rotation', () => {
  it('puts all entries under a new key, and leaves the old one nowhere', async () => {
    await three();
    const before = await sealed.seal();
    const old = join(folder, `${before?.store}.key`);
    const kept = join(folder, 'copy');
    copyFileSync(old, kept);
    expect(await store().rotate()).toEqual({ entries: 3, key: `'${old}'` });
    expect(await opened()).toEqual([VALUE, VALUE, VALUE]);
    expect((await sealed.seal())?.key).not.toBe(before?.key);
    await expect(store({ kind: 'file', file: kept, next: undefined }).open('a')).rejects.toThrow('another one');
    expect(readdirSync(folder).toSorted()).toEqual(['copy', `${before?.store}.key`].toSorted());
  });

  it('needs the new key of a user who keeps the old one', async () => {
    await three(text(1));
    await expect(store(text(1)).rotate()).rejects.toThrow('give the new one in NOETL_NEW_KEY');
    await expect(store(text(1, 1)).rotate()).rejects.toThrow('in use already');
    expect(await store(text(1, 2)).rotate()).toMatchObject({ entries: 3 });
    expect(await opened(text(2))).toEqual([VALUE, VALUE, VALUE]);
    await expect(store(text(1)).open('a')).rejects.toThrow('another one');
  });

  it('makes the new file of a user who names one, and leaves the old one alone', async () => {
    const [file, next] = [join(folder, 'old.key'), join(folder, 'new.key')];
    await three({ kind: 'file', file, next: undefined });
    await expect(store({ kind: 'file', file, next: undefined }).rotate()).rejects.toThrow('NOETL_NEW_KEY_FILE');
    await store({ kind: 'file', file, next }).rotate();
    expect(await opened({ kind: 'file', file: next, next: undefined })).toEqual([VALUE, VALUE, VALUE]);
    expect(readdirSync(folder).toSorted()).toEqual(['new.key', 'old.key']);
  });

  it('has nothing to do without credentials', async () => {
    await expect(store().rotate()).rejects.toThrow('there are no credentials yet');
  });

  it.each(['before', 'after'])(
    'leaves everything open to who comes after a crash %s the store is sealed',
    async (when) => {
      await three();
      const crashing: SecretStore = {
        ...sealed,
        reseal: async (...change) => {
          if (when === 'after') await sealed.reseal(...change);
          throw new Error('killed');
        },
      };
      await expect(store(own, crashing).rotate()).rejects.toThrow('killed');
      // The new key lies beside the old one.
      expect(readdirSync(folder)).toHaveLength(2);
      expect(await opened()).toEqual([VALUE, VALUE, VALUE]);
      await store().set('a', 'bearer', VALUE, 6);
      await store().rotate();
      expect(readdirSync(folder)).toHaveLength(1);
      expect(await opened()).toEqual([VALUE, VALUE, VALUE]);
    },
  );

  it('loses nothing that is set or removed meanwhile', async () => {
    await three();
    let changes = 0;
    const busy: SecretStore = {
      ...sealed,
      reseal: async (...change) => {
        if (changes++ === 0) await store().set('a', 'secret', 'changed', 6);
        if (changes === 2) await store().remove(['c']);
        return sealed.reseal(...change);
      },
    };
    expect(await store(own, busy).rotate()).toMatchObject({ entries: 2 });
    expect(await opened()).toEqual(['changed', VALUE, undefined]);
  });

  it('happens once when two do it at the same time', async () => {
    await three();
    await Promise.allSettled([store().rotate(), store().rotate(), store().rotate()]);
    expect(await opened()).toEqual([VALUE, VALUE, VALUE]);
  });
});
