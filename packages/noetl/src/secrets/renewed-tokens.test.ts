import type { KeychainEntry } from '@noetl/playbook';
import { readPlaybook } from '@noetl/playbook';
import { describe, expect, it } from 'vitest';
import { openKeychain } from './keychain.ts';
import type { OAuth2Client, OAuth2Token } from './oauth2-token.ts';
import { openSecretProviders } from './secret-providers.ts';
import { Unresolved } from './unresolved.ts';

const CLIENT = '{ name: api, kind: oauth2, token_url: "http://i", client_id: c, client_secret: client-secret-1 }';

function entriesOf(keychain: string): readonly KeychainEntry[] {
  const source = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: p }\nkeychain:\n${keychain}
workflow: [{ step: start, tool: { kind: noop } }]\n`;
  return readPlaybook(source, { file: 'test.yaml' }).playbook?.keychain ?? [];
}

/** A keychain with an issuer that counts, whose tokens are good for so many seconds. */
async function opened(seconds: number | undefined, more = '') {
  const asked: OAuth2Client[] = [];
  let down = false;
  let now = 0;
  const token = async (client: OAuth2Client): Promise<OAuth2Token> => {
    if (down) throw new Unresolved('gets its tokens from http://i, which cannot be reached.', { passing: true });
    asked.push(client);
    return { token: `token-${asked.length}`, expiresAt: seconds === undefined ? undefined : now + seconds * 1000 };
  };
  const keychain = await openKeychain(
    entriesOf(`  - ${CLIENT}${more}`),
    { workload: {}, execution_id: 'e', job: {} },
    { providers: openSecretProviders({ environment: {} }), credential: async () => undefined, token },
    0,
  );
  return {
    keychain,
    asked,
    fail: (failing: boolean) => {
      down = failing;
    },
    at: (second: number) => {
      now = second * 1000;
      return now;
    },
  };
}

describe('SEC-1: tokens', () => {
  it('are kept until shortly before they expire, and then renewed, with everything that is made of them', async () => {
    const header = '\n  - { name: header, kind: static, value: "Bearer {{ keychain.api.token }}" }';
    const { keychain, asked, at } = await opened(600, header);
    const before = keychain.values();
    expect(before).toEqual({ api: { token: 'token-1' }, header: 'Bearer token-1' });
    expect([keychain.isDue(at(539)), keychain.isDue(at(540))]).toEqual([false, true]);
    await Promise.all([keychain.refresh(at(540)), keychain.refresh(at(540))]);
    expect(asked).toHaveLength(2);
    expect(keychain.values()).toEqual({ api: { token: 'token-2' }, header: 'Bearer token-2' });
    expect(keychain.values()).not.toBe(before);
    expect(keychain.isDue(at(541))).toBe(false);
  });

  it('are secrets from the moment they are had, and stay so', async () => {
    const { keychain, at } = await opened(600);
    await keychain.refresh(at(540));
    expect(
      keychain
        .secrets()
        .map(({ name, value }) => `${name}=${value}`)
        .toSorted(),
    ).toEqual(['api.client_secret=client-secret-1', 'api.token=token-1', 'api.token=token-2']);
  });

  it('that live shortly are renewed in the last fifth of their life', async () => {
    const { keychain, at } = await opened(10);
    expect([keychain.isDue(at(7.9)), keychain.isDue(at(8))]).toEqual([false, true]);
  });

  it('without an end are not renewed', async () => {
    const { keychain, at } = await opened(undefined);
    expect(keychain.isDue(at(1e9))).toBe(false);
  });

  it('stay as long as they are good if no new one can be had; then the entry has no value until there is one', async () => {
    const { keychain, at, fail } = await opened(600);
    fail(true);
    await keychain.refresh(at(550));
    expect([keychain.values(), keychain.problems()]).toEqual([{ api: { token: 'token-1' } }, []]);
    // It is not asked at every moment.
    expect([keychain.isDue(at(551)), keychain.isDue(at(556))]).toEqual([false, true]);
    await keychain.refresh(at(601));
    expect(keychain.values()).toEqual({});
    expect(keychain.problems()).toEqual([
      { name: 'api', message: "the keychain entry 'api' gets its tokens from http://i, which cannot be reached." },
    ]);
    fail(false);
    expect(keychain.isDue(at(610))).toBe(true);
    await keychain.refresh(at(610));
    expect([keychain.values(), keychain.problems()]).toEqual([{ api: { token: 'token-2' } }, []]);
  });

  it('that are refused are renewed once, however many were refused', async () => {
    const { keychain, asked, at } = await opened(600);
    const refused = { token: 'token-1' };
    const renewed = await Promise.all([1, 2, 3].map(() => keychain.renew('api', refused, at(5))));
    expect(renewed).toEqual([{ token: 'token-2' }, { token: 'token-2' }, { token: 'token-2' }]);
    expect(await keychain.renew('api', refused, at(6))).toEqual({ token: 'token-2' });
    expect(asked).toHaveLength(2);
  });

  it('that are refused stay if no new one can be had: others may still take them', async () => {
    const { keychain, at, fail } = await opened(600);
    fail(true);
    expect(await keychain.renew('api', { token: 'token-1' }, at(5))).toBeUndefined();
    expect([keychain.values(), keychain.problems()]).toEqual([{ api: { token: 'token-1' } }, []]);
  });

  it('are had of oauth2 only', async () => {
    const { keychain } = await opened(600, '\n  - { name: other, kind: bearer, token: tok-1234 }');
    expect(await keychain.renew('other', { token: 'tok-1234' }, 5)).toBeUndefined();
    expect(await keychain.renew('nope', 'x', 5)).toBeUndefined();
  });
});
