import type { Clock } from '../ports/clock.ts';
import type { StoredToken, Tokens } from '../ports/tokens.ts';

/** How long the answer of a store counts, in milliseconds: so late it is known which token another process has revoked. */
const FRESH = 250;
/** Tokens that are remembered. */
const MOST = 1_000;

/**
 * Tokens as the store had them a moment ago: a store that is busy with commits need not be asked with every request. What is
 * made or revoked here counts at once, and so does a token that another process has made.
 */
export function recentTokens(tokens: Tokens, clock: Clock): Tokens {
  const recent = new Map<string, { readonly token: StoredToken; readonly at: number }>();
  let noneAt = Number.NEGATIVE_INFINITY;
  let changes = 0;

  /** A clock that is set back makes nothing last longer. */
  const isFresh = (at: number): boolean => Math.abs(clock.now() - at) < FRESH;

  function forget(): void {
    changes += 1;
    recent.clear();
    noneAt = Number.NEGATIVE_INFINITY;
  }

  return {
    ...tokens,
    async byHash(hash) {
      const known = recent.get(hash);
      if (known !== undefined && isFresh(known.at)) return known.token;
      const before = changes;
      const token = await tokens.byHash(hash);
      if (token === undefined || before !== changes) return token;
      if (recent.size >= MOST) recent.clear();
      recent.set(hash, { token, at: clock.now() });
      return token;
    },
    async any() {
      if (isFresh(noneAt)) return false;
      const before = changes;
      const some = await tokens.any();
      if (!some && before === changes) noneAt = clock.now();
      return some;
    },
    put: (token) => tokens.put(token).finally(forget),
    revoke: (name, now) => tokens.revoke(name, now).finally(forget),
  };
}
