import type { StoredToken, Tokens } from '../../ports/tokens.ts';

export function createMemoryTokens(): Tokens {
  const tokens = new Map<string, StoredToken>();
  return {
    put: async (token) => {
      if (tokens.has(token.name)) return 'taken';
      tokens.set(token.name, token);
      return 'kept';
    },
    byHash: async (hash) => [...tokens.values()].find((token) => token.hash === hash),
    list: async () => [...tokens.values()],
    revoke: async (name, now) => {
      const token = tokens.get(name);
      if (token === undefined || token.revokedAt !== undefined) return false;
      tokens.set(name, { ...token, revokedAt: now });
      return true;
    },
    any: async () => tokens.size > 0,
  };
}
