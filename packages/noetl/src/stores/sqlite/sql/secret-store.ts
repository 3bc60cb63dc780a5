import type { Instant } from '@noetl/engine';
import type { Seal, SealedCredential } from '../../../ports/secret-store.ts';
import type { Database } from '../driver/database.ts';
import { asBytes, jsonOf, type StoredText, textOf } from './stored-text.ts';

interface Row {
  readonly name: StoredText;
  readonly kind: StoredText;
  /** As JSON. */
  readonly fields: StoredText;
  readonly set_at: Instant;
  readonly sealed: StoredText;
}

interface SealRow {
  readonly store: StoredText;
  readonly key: StoredText;
}

const COLUMNS = `set_at, ${asBytes('name', 'kind', 'fields', 'sealed')}`;

export function secretStoreOperations(database: Database) {
  const sealed = database.prepare<SealRow>(`SELECT ${asBytes('store', 'key')} FROM credential_seal`);
  const unseal = database.prepare('DELETE FROM credential_seal');
  const insertSeal = database.prepare('INSERT INTO credential_seal (store, key) VALUES (?, ?)');
  const one = database.prepare<Row>(`SELECT ${COLUMNS} FROM credentials WHERE name = ?`);
  const all = database.prepare<Row>(`SELECT ${COLUMNS} FROM credentials ORDER BY name`);
  const some = database.prepare('SELECT 1 FROM credentials LIMIT 1');
  const insert = database.prepare(
    'INSERT OR REPLACE INTO credentials (name, kind, fields, set_at, sealed) VALUES (?, ?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM credentials WHERE name = ?');

  const seal = (): Seal | undefined => {
    const row = sealed.get();
    if (row === undefined) return undefined;
    return { store: textOf(row.store, 'credential_seal.store'), key: textOf(row.key, 'credential_seal.key') };
  };
  const isSealedWith = ({ store, key }: Seal): boolean => {
    const found = seal();
    return found?.store === store && found.key === key;
  };
  const replaceSeal = ({ store, key }: Seal): void => {
    unseal.run();
    insertSeal.run(store, key);
  };
  const keep = ({ name, kind, fields, setAt, sealed: text }: SealedCredential): void => {
    insert.run(name, kind, JSON.stringify(fields), setAt, text);
  };
  const credentials = (): readonly SealedCredential[] => all.all().map(entryOf);

  return {
    reads: {
      seal,
      credential: (name: string): SealedCredential | undefined => {
        const row = one.get(name);
        return row === undefined ? undefined : entryOf(row);
      },
      credentials,
    },
    writes: {
      putCredential: (entry: SealedCredential, by: Seal): 'kept' | 'refused' => {
        if (!isSealedWith(by)) {
          if (some.get() !== undefined) return 'refused';
          replaceSeal(by);
        }
        keep(entry);
        return 'kept';
      },
      removeCredentials: (names: readonly string[]): readonly string[] =>
        names.filter((name) => {
          const there = one.get(name) !== undefined;
          remove.run(name);
          return there;
        }),
      resealCredentials: (
        from: Seal,
        to: Seal,
        before: readonly string[],
        after: readonly SealedCredential[],
      ): 'kept' | 'refused' => {
        const now = credentials();
        const same = now.length === before.length && now.every((entry, at) => entry.sealed === before[at]);
        if (!same || !isSealedWith(from)) return 'refused';
        replaceSeal(to);
        for (const entry of after) keep(entry);
        return 'kept';
      },
    },
  };
}

const entryOf = (row: Row): SealedCredential => ({
  name: textOf(row.name, 'credentials.name'),
  kind: textOf(row.kind, 'credentials.kind'),
  fields: jsonOf(row.fields, 'credentials.fields'),
  setAt: row.set_at,
  sealed: textOf(row.sealed, 'credentials.sealed'),
});
