import { describe, expect, it } from 'vitest';
import type { StoredToken } from '../ports/tokens.ts';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import { createMemoryTokens } from '../stores/memory/tokens.ts';
import { recentTokens } from './recent-tokens.ts';

const token = (name: string): StoredToken => ({
  name,
  hash: `hash of ${name}`,
  role: 'viewer',
  prefix: '',
  createdAt: 0,
  expiresAt: undefined,
  revokedAt: undefined,
});

describe('tokens of a moment ago (SEC-4)', () => {
  it('know at once what is made and revoked through them', async () => {
    const tokens = recentTokens(createMemoryTokens(), createVirtualClock());
    expect(await tokens.any()).toBe(false);
    expect(await tokens.byHash('hash of ci')).toBeUndefined();
    await tokens.put(token('ci'));
    expect(await tokens.any()).toBe(true);
    expect(await tokens.byHash('hash of ci')).toMatchObject({ name: 'ci', revokedAt: undefined });
    await tokens.revoke('ci', 7);
    expect(await tokens.byHash('hash of ci')).toMatchObject({ revokedAt: 7 });
  });

  it('know what others made at once, and what others revoked a moment later', async () => {
    const store = createMemoryTokens();
    const clock = createVirtualClock();
    const tokens = recentTokens(store, clock);
    expect(await tokens.any()).toBe(false);
    await store.put(token('ci'));
    expect(await tokens.byHash('hash of ci')).toMatchObject({ name: 'ci' });
    await store.revoke('ci', 7);
    clock.advanceTo(250);
    expect(await tokens.any()).toBe(true);
    expect(await tokens.byHash('hash of ci')).toMatchObject({ revokedAt: 7 });
  });
});
