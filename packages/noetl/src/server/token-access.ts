import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';
import type { Tokens } from '../ports/tokens.ts';
import { type Access, ANYONE_HERE, FOLDER_OWNER } from './http/access.ts';
import type { Role } from './http/roles.ts';

interface AccessOptions {
  readonly tokens: Tokens;
  readonly clock: Clock;
  /** What the server left in its folder, for commands of this machine. */
  readonly ownToken: string;
  /** Whether nobody but this machine can reach the server. */
  readonly loopback: boolean;
}

/** What a store knows of a token. */
export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('hex');

/**
 * SEC-4: whose token a request shows. On this machine alone, and only until the first token is made, none is needed; that a
 * token was revoked or has expired never opens the door again.
 */
export function tokenAccess({ tokens, clock, ownToken, loopback }: AccessOptions): Access {
  const own = Buffer.from(tokenHash(ownToken));
  return {
    async callerOf(authorization) {
      if (authorization === undefined) {
        if (loopback && !(await tokens.any())) return ANYONE_HERE;
        return { refused: 'a token is needed: Authorization: Bearer TOKEN. noetl token create makes one.' };
      }
      const [, shown] = /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization) ?? [];
      if (shown === undefined)
        return { refused: 'the header Authorization is none that is known, expected Bearer TOKEN.' };
      const hash = tokenHash(shown);
      if (timingSafeEqual(Buffer.from(hash), own)) return FOLDER_OWNER;
      const token = await tokens.byHash(hash);
      if (token === undefined) return { refused: 'the token is not known here.' };
      if (token.revokedAt !== undefined) return { refused: `the token '${token.name}' was revoked.`, name: token.name };
      if (token.expiresAt !== undefined && token.expiresAt <= clock.now()) {
        const refused = `the token '${token.name}' has expired. noetl token create makes another.`;
        return { refused, name: token.name };
      }
      const { name, role, prefix } = token;
      return { name, role: role as Role, prefix, local: false, isToken: true };
    },
  };
}
