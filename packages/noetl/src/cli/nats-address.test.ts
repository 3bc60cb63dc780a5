import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { natsAddress } from './nats-address.ts';

describe('the address of NATS', () => {
  const address = (url: string, credentials = '', workingFolder = '/') =>
    natsAddress({ environment: { NOETL_NATS_URL: url, NOETL_NATS_CREDENTIALS: credentials }, workingFolder });

  it.each([
    ['nats://here', { servers: ['here:4222'], tls: false }],
    ['nats://here:80/', { servers: ['here:80'], tls: false }],
    ['nats://a:1, tls://b:2', { servers: ['a:1', 'b:2'], tls: true }],
    ['nats://u%40x:p%3A1@here', { servers: ['here:4222'], tls: false, user: 'u@x', password: 'p:1' }],
    ['nats://a-token@here', { servers: ['here:4222'], tls: false, token: 'a-token' }],
    ['', undefined],
  ])('is read from %o', (url, expected) => {
    expect(address(url)).toEqual(expected);
  });

  it.each(['here:4222', 'http://u:canary@here', 'nats://', 'canary'])(
    'is not %o, and no value of it is told',
    (url) => {
      const found = address(url);
      expect(found).toEqual({ problem: expect.stringMatching(/^NOETL_NATS_URL is no address of NATS/) });
      expect(JSON.stringify(found)).not.toContain('canary');
    },
  );

  it('may come with a file of credentials', () => {
    const folder = mkdtempSync(join(tmpdir(), 'noetl-nats-'));
    try {
      writeFileSync(join(folder, 'creds'), 'the text');
      expect(address('nats://here', 'creds', folder)).toMatchObject({ credentials: 'the text' });
      expect(address('nats://here', 'none', folder)).toEqual({
        problem: expect.stringContaining('NOETL_NATS_CREDENTIALS'),
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
