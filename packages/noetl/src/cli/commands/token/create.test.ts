import { describe, expect, it } from 'vitest';
import { noetl } from '../../scripted-terminal.testing.ts';

describe('noetl token create', () => {
  it('makes no token that is expired from the beginning, or valid for longer than a server allows (SEC-4)', async () => {
    for (const expires of ['0m', '0d', '999999w']) {
      const { exitCode, stderr } = await noetl(['token', 'create', 'ci', '--role', 'viewer', '--expires', expires]);
      expect([exitCode, stderr], expires).toEqual([
        2,
        'error: --expires: a token is valid for a minute at least, and for ten years at most.\n',
      ]);
    }
  });
});
