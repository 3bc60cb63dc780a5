import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noetl } from './scripted-terminal.testing.ts';
import { type ServerUnderTest, serverUnderTest } from './server-under-test.testing.ts';

describe('what cannot be done', { timeout: 60_000 }, () => {
  let folder: string;
  let server: ServerUnderTest;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-alike-'));
    server = await serverUnderTest(folder);
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  it.each([
    ['credential', 'rm', 'nobody'],
    ['token', 'revoke', 'nobody'],
    ['token', 'create', 'twice', '--role', 'viewer'],
    ['exec', 'status', ''],
    ['exec', 'cancel', 'nobody'],
    ['exec', 'signal', 'nobody', 'go'],
    ['catalog', 'get', 'nobody'],
  ])('is told by a server in the words of a folder: %s %s', async (...args) => {
    const env = { NOETL_TOKEN: server.token };
    const files = { [join(folder, 'noetl.db')]: '' };
    // Whatever can be done once is done before.
    await noetl([...args, '--data', folder], files);
    const here = await noetl([...args, '--data', folder], files);
    const there = await noetl([...args, '--server', server.url], files, { environment: env });
    expect(here.exitCode).toBe(2);
    expect({ ...there, stderr: there.stderr.replaceAll(server.url, folder) }).toEqual(here);
  });
});
