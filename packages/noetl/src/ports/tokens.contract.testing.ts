import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredToken, Tokens } from './tokens.ts';

const token = (name: string, more: Partial<StoredToken> = {}): StoredToken => ({
  name,
  hash: `hash of ${name}`,
  role: 'viewer',
  prefix: '',
  createdAt: 1_000,
  expiresAt: undefined,
  revokedAt: undefined,
  ...more,
});

/** What every store of tokens promises. */
export function tokensContract(
  name: string,
  open: () => Promise<{ readonly tokens: Tokens; close(): Promise<void> }>,
): void {
  describe(`tokens: ${name}`, () => {
    let tokens: Tokens;
    let close: () => Promise<void>;
    beforeEach(async () => {
      ({ tokens, close } = await open());
    });
    afterEach(() => close());

    it('are found by their hashes, and listed in the order in which they were made', async () => {
      expect(await tokens.any()).toBe(false);
      const [one, other] = [token('z', { expiresAt: 5_000, prefix: 'flows' }), token('ä 𝒳')];
      expect([await tokens.put(one), await tokens.put(other)]).toEqual(['kept', 'kept']);
      expect(await tokens.byHash('hash of z')).toEqual(one);
      expect(await tokens.byHash('another')).toBeUndefined();
      expect(await tokens.list()).toEqual([one, other]);
      expect(await tokens.any()).toBe(true);
    });

    it('have names of their own, also when they are revoked', async () => {
      await tokens.put(token('ci'));
      expect(await tokens.revoke('ci', 2_000)).toBe(true);
      expect(await tokens.put(token('ci', { hash: 'other' }))).toBe('taken');
      expect(await tokens.list()).toEqual([token('ci', { revokedAt: 2_000 })]);
      expect(await tokens.any()).toBe(true);
    });

    it('are revoked once, and stay so', async () => {
      await tokens.put(token('ci'));
      expect([await tokens.revoke('ci', 2_000), await tokens.revoke('ci', 3_000)]).toEqual([true, false]);
      expect((await tokens.byHash('hash of ci'))?.revokedAt).toBe(2_000);
      expect(await tokens.revoke('nobody', 2_000)).toBe(false);
    });
  });
}
