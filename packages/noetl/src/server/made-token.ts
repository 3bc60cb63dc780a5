import { randomBytes } from 'node:crypto';
import { timestampOf } from '@noetl/engine';
import type { MadeToken, TokenEntry } from '../api/tokens.ts';
import type { StoredToken, Tokens } from '../ports/tokens.ts';
import type { Role } from './http/roles.ts';
import { tokenHash } from './token-access.ts';

export interface WantedToken {
  readonly name: string;
  readonly role: Role;
  readonly prefix: string;
  /** Seconds; undefined for a token that stays. */
  readonly expiresIn: number | undefined;
  /** What it is; a new one unless given. */
  readonly token?: string;
}

export const newToken = (): string => `noetl_${randomBytes(32).toString('base64url')}`;

/** Makes a token, which is told this once; undefined if one has the name already. */
export async function makeToken(tokens: Tokens, wanted: WantedToken, now: number): Promise<MadeToken | undefined> {
  const { name, role, prefix, expiresIn, token = newToken() } = wanted;
  const expiresAt = expiresIn === undefined ? undefined : now + expiresIn * 1000;
  const stored = { name, hash: tokenHash(token), role, prefix, createdAt: now, expiresAt, revokedAt: undefined };
  if ((await tokens.put(stored)) === 'taken') return undefined;
  return { ...tokenEntry(stored, now), token };
}

export const tokenEntry = (
  { name, role, prefix, createdAt, expiresAt, revokedAt }: StoredToken,
  now: number,
): TokenEntry => ({
  name,
  role: role as Role,
  prefix,
  created_at: timestampOf(createdAt),
  expires_at: expiresAt === undefined ? null : timestampOf(expiresAt),
  revoked_at: revokedAt === undefined ? null : timestampOf(revokedAt),
  valid: revokedAt === undefined && (expiresAt === undefined || expiresAt > now),
});
