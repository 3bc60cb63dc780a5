import type { Instant } from '@noetl/engine';
import type { StoredToken } from '../../../ports/tokens.ts';
import type { Database } from '../driver/database.ts';
import { asBytes, type StoredText, textOf } from './stored-text.ts';

interface Row {
  readonly name: StoredText;
  readonly hash: StoredText;
  readonly role: StoredText;
  readonly prefix: StoredText;
  readonly created_at: Instant;
  readonly expires_at: Instant | null;
  readonly revoked_at: Instant | null;
}

const COLUMNS = `created_at, expires_at, revoked_at, ${asBytes('name', 'hash', 'role', 'prefix')}`;

export function tokenOperations(database: Database) {
  const named = database.prepare<Row>(`SELECT ${COLUMNS} FROM tokens WHERE name = ?`);
  const hashed = database.prepare<Row>(`SELECT ${COLUMNS} FROM tokens WHERE hash = ?`);
  const all = database.prepare<Row>(`SELECT ${COLUMNS} FROM tokens ORDER BY id`);
  const some = database.prepare('SELECT 1 FROM tokens LIMIT 1');
  const insert = database.prepare(
    'INSERT INTO tokens (name, hash, role, prefix, created_at, expires_at, revoked_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const revoke = database.prepare('UPDATE tokens SET revoked_at = ? WHERE name = ?');

  return {
    reads: {
      tokenByHash: (hash: string): StoredToken | undefined => {
        const row = hashed.get(hash);
        return row === undefined ? undefined : tokenOf(row);
      },
      tokens: (): readonly StoredToken[] => all.all().map(tokenOf),
      anyToken: (): boolean => some.get() !== undefined,
    },
    writes: {
      putToken: ({ name, hash, role, prefix, createdAt, expiresAt, revokedAt }: StoredToken): 'kept' | 'taken' => {
        if (named.get(name) !== undefined) return 'taken';
        insert.run(name, hash, role, prefix, createdAt, expiresAt ?? null, revokedAt ?? null);
        return 'kept';
      },
      revokeToken: (name: string, now: Instant): boolean => {
        const row = named.get(name);
        if (row === undefined || row.revoked_at !== null) return false;
        revoke.run(now, name);
        return true;
      },
    },
  };
}

const tokenOf = (row: Row): StoredToken => ({
  name: textOf(row.name, 'tokens.name'),
  hash: textOf(row.hash, 'tokens.hash'),
  role: textOf(row.role, 'tokens.role'),
  prefix: textOf(row.prefix, 'tokens.prefix'),
  createdAt: row.created_at,
  expiresAt: row.expires_at ?? undefined,
  revokedAt: row.revoked_at ?? undefined,
});
