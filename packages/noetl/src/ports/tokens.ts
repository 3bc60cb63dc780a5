import type { Instant } from '@noetl/engine';

/** SEC-4: who may call the API. A store knows tokens by their hashes only; what was made once stays, also revoked. */
export interface Tokens {
  /** Keeps a token; `taken` if one has the name already. */
  put(token: StoredToken): Promise<'kept' | 'taken'>;
  byHash(hash: string): Promise<StoredToken | undefined>;
  /** All that were ever made, oldest first. */
  list(): Promise<readonly StoredToken[]>;
  /** False if there is none of that name, or it is revoked already. */
  revoke(name: string, now: Instant): Promise<boolean>;
  /** Whether one was ever made. */
  any(): Promise<boolean>;
}

export interface StoredToken {
  /** What people call it by. */
  readonly name: string;
  /** SHA-256 of the token, in hex. */
  readonly hash: string;
  readonly role: string;
  /** Only playbooks whose path begins so, and their executions; all if it is empty. */
  readonly prefix: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | undefined;
  readonly revokedAt: Instant | undefined;
}
