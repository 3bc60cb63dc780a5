import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Instant } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import type { Seal, SealedCredential, SecretStore } from '../ports/secret-store.ts';
import { keyOf, type MasterKey, reseal, seal, unseal } from './envelope.ts';
import { keyIn, makeKeyFile, readKeyFile, replaceKeyFile } from './key-file.ts';
import { KeyProblem } from './key-problem.ts';

/** Where the master key is. What the program keeps itself, it also replaces; anything else is the user's to replace. */
export type KeySource =
  | { readonly kind: 'text'; readonly text: string; readonly next: string | undefined }
  | { readonly kind: 'file'; readonly file: string; readonly next: string | undefined }
  /** A file for each store in a folder of the user. */
  | { readonly kind: 'own'; readonly folder: string };

/** SEC-2: credentials that are set, listed and removed by people, and opened only to be used. Throws a KeyProblem. */
export interface CredentialStore {
  set(name: string, kind: string, value: Json, now: Instant): Promise<void>;
  list(): Promise<readonly CredentialEntry[]>;
  remove(names: readonly string[]): Promise<readonly string[]>;
  open(name: string): Promise<OpenedCredential | undefined>;
  /** The names of entries that cannot be opened. */
  damaged(): Promise<readonly string[]>;
  /** Puts all entries under a new master key; the answer says how many, and where the key is. */
  rotate(): Promise<{ readonly entries: number; readonly key: string }>;
}

type CredentialEntry = Omit<SealedCredential, 'sealed'>;
export interface OpenedCredential {
  readonly kind: string;
  readonly value: Json;
}

/** Others may change the store at the same moment; so often in a row they do not. */
const TRIES = 10;

export function openCredentialStore(store: SecretStore, source: KeySource): CredentialStore {
  const keys = keyring(source);

  async function set(name: string, kind: string, value: Json, now: Instant): Promise<void> {
    const fields = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    for (let tries = 0; tries < TRIES; tries++) {
      const known = await store.seal();
      const empty = (await store.list()).length === 0;
      const id = known?.store ?? randomUUID();
      const key = empty ? await keys.forFirst(id) : await keys.of(known as Seal);
      const entry = seal({ name, kind, fields, setAt: now }, value, key);
      if ((await store.put(entry, { store: id, key: key.id })) === 'kept') return;
      if (empty) await keys.giveUp(id, known);
    }
    throw busy();
  }

  async function rotate(): Promise<{ readonly entries: number; readonly key: string }> {
    for (let tries = 0; tries < TRIES; tries++) {
      const from = await store.seal();
      const entries = await store.list();
      if (from === undefined || entries.length === 0) throw new KeyProblem('there are no credentials yet.');
      const old = await keys.of(from);
      const next = await keys.next(from.store, old);
      const after = entries.map((entry) => reseal(entry, old, next) ?? damaged(entry, old));
      const before = entries.map(({ sealed }) => sealed);
      if ((await store.reseal(from, { ...from, key: next.id }, before, after)) === 'kept') {
        return { entries: after.length, key: await keys.replaced(from.store) };
      }
    }
    throw busy();
  }

  return {
    set,
    list: async () => (await store.list()).map(({ sealed: _, ...entry }) => entry),
    remove: (names) => store.remove(names),
    async open(name) {
      const [entry, known] = [await store.get(name), await store.seal()];
      if (entry === undefined || known === undefined) return undefined;
      const key = await keys.of(known);
      const value = unseal(entry, key);
      return value === undefined ? damaged(entry, key) : { kind: entry.kind, value };
    },
    async damaged() {
      const [entries, known] = [await store.list(), await store.seal()];
      if (known === undefined || entries.length === 0) return [];
      const key = await keys.of(known);
      return entries.filter((entry) => unseal(entry, key) === undefined).map(({ name }) => name);
    },
    rotate,
  };
}

const busy = (): KeyProblem => new KeyProblem('others keep changing the credentials at this moment. Try again.');

function damaged(entry: SealedCredential, { id }: MasterKey): never {
  const why = (keyOf(entry) ?? id) === id ? 'is damaged, or was moved from another name' : 'is sealed with another key';
  throw new KeyProblem(`the credential '${entry.name}' ${why}. Set it again: noetl credential set ${entry.name}`);
}

interface Keyring {
  /** The key that entries of the store are sealed with. */
  of(seal: Seal): Promise<MasterKey>;
  /** A key for a store without entries. */
  forFirst(store: string): Promise<MasterKey>;
  /** Another process has sealed the store: a key that was made for it is needed by nobody. */
  giveUp(store: string, known: Seal | undefined): Promise<void>;
  /** Another key than the old one, which is not in use yet. */
  next(store: string, old: MasterKey): Promise<MasterKey>;
  /** The next key is in use; the answer says where it is. */
  replaced(store: string): Promise<string>;
}

function keyring(source: KeySource): Keyring {
  switch (source.kind) {
    case 'text':
      return givenKeys(source);
    case 'file':
      return keysInFile(source);
    case 'own':
      return ownKeys(source.folder);
  }
}

function givenKeys({ text, next }: Extract<KeySource, { kind: 'text' }>): Keyring {
  const key = keyIn(text, 'NOETL_KEY');
  return {
    of: async ({ key: id }) => (key.id === id ? key : wrong(id, 'the key in NOETL_KEY', key)),
    forFirst: async () => key,
    giveUp: async () => undefined,
    next: async (_, old) => {
      if (next === undefined) throw new KeyProblem('the key is in NOETL_KEY; give the new one in NOETL_NEW_KEY.');
      return another(keyIn(next, 'NOETL_NEW_KEY'), old, 'NOETL_NEW_KEY');
    },
    replaced: async () => 'NOETL_NEW_KEY: from now on give it in NOETL_KEY',
  };
}

function keysInFile({ file, next }: Extract<KeySource, { kind: 'file' }>): Keyring {
  return {
    of: async ({ key: id }) => {
      const key = (await readKeyFile(file)) ?? missing(file, id);
      return key.id === id ? key : wrong(id, `the key in '${file}'`, key);
    },
    forFirst: async () => (await readKeyFile(file)) ?? makeKeyFile(file),
    giveUp: async () => undefined,
    next: async (_, old) => {
      if (next === undefined) {
        throw new KeyProblem(
          `the key is in the file that NOETL_KEY_FILE names; name the new one in NOETL_NEW_KEY_FILE.`,
        );
      }
      return another((await readKeyFile(next)) ?? (await makeKeyFile(next)), old, 'NOETL_NEW_KEY_FILE');
    },
    replaced: async () => `'${next}': from now on name it in NOETL_KEY_FILE`,
  };
}

/**
 * A new key lies beside the old one until the store is sealed with it, and then takes its place. Whatever stops that in
 * the middle, the key that the store needs is in one of both files.
 */
function ownKeys(folder: string): Keyring {
  const current = (store: string): string => join(folder, `${store}.key`);
  const coming = (store: string): string => join(folder, `${store}.next.key`);
  return {
    async of({ store, key: id }) {
      const key = await readKeyFile(current(store));
      if (key?.id === id) return key;
      const next = await readKeyFile(coming(store));
      if (next?.id === id) {
        await replaceKeyFile(coming(store), current(store));
        return next;
      }
      return key === undefined ? missing(current(store), id) : wrong(id, `the key in '${current(store)}'`, key);
    },
    forFirst: async (store) => (await readKeyFile(current(store))) ?? makeKeyFile(current(store)),
    giveUp: async (store, known) => {
      if (store !== known?.store) await rm(current(store), { force: true });
    },
    next: async (store) => (await readKeyFile(coming(store))) ?? makeKeyFile(coming(store)),
    replaced: async (store) => {
      await replaceKeyFile(coming(store), current(store));
      return `'${current(store)}'`;
    },
  };
}

function another(key: MasterKey, old: MasterKey, where: string): MasterKey {
  if (key.id === old.id) throw new KeyProblem(`${where} holds the key that is in use already; a new one is needed.`);
  return key;
}

function missing(file: string, id: string): never {
  throw new KeyProblem(
    `the credentials are sealed with the key ${id}, and its file '${file}' is not there. Put it back, name it in NOETL_KEY_FILE, or give the key in NOETL_KEY; if it is lost, remove the credentials and set them again.`,
  );
}

function wrong(id: string, what: string, { id: found }: MasterKey): never {
  throw new KeyProblem(
    `the credentials are sealed with the key ${id}, and ${what} is another one (${found}). Give the right one in NOETL_KEY or NOETL_KEY_FILE.`,
  );
}
