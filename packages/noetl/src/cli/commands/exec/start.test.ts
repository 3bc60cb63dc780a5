import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noetl } from '../../scripted-terminal.testing.ts';
import { type ServerUnderTest, serverUnderTest } from '../../server-under-test.testing.ts';

const TEXT = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: greet, path: flows/greet }
workload: { city: Bern }
workflow: [{ step: start, tool: [{ say: { kind: noop, result: "hello {{ workload.city }}" } }] }]
`;

describe('noetl exec start', { timeout: 60_000 }, () => {
  let folder: string;
  let server: ServerUnderTest;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-exec-start-'));
    server = await serverUnderTest(folder);
    expect((await server.send('POST', '/api/catalog', { text: TEXT })).status).toBe(200);
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const start = (...args: readonly string[]) => noetl(['exec', 'start', ...args, '--server', server.url]);

  it('starts a playbook of the catalog, and prints the id of the execution alone', async () => {
    const { exitCode, stdout, stderr } = await start('flows/greet', '--set', 'city=Graz');
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`flows/greet@1 has started. noetl exec watch`)]);
    const id = stdout.trim();
    const watched = await noetl(['exec', 'watch', id, '--server', server.url]);
    expect([watched.exitCode, watched.stdout]).toEqual([0, 'hello Graz\n']);
  });

  it('starts nothing new under a key that was used, and refuses another payload under it', async () => {
    const [first, second] = [
      await start('flows/greet@1', '--key', 'k', '--json'),
      await start('flows/greet', '--key', 'k', '--json'),
    ];
    expect(JSON.parse(second.stdout)).toEqual(JSON.parse(first.stdout));
    const other = await start('flows/greet', '--key', 'k', '--set', 'city=Rome');
    expect([other.exitCode, other.stderr]).toEqual([1, expect.stringContaining('NOETL_API_KEY_REUSED')]);
  });

  it('tells a playbook that is not there, and a folder without a server', async () => {
    const unknown = await start('flows/gret');
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining("Did you mean 'flows/greet'?")]);
    const alone = await noetl(['exec', 'start', 'flows/greet', '--data', join(folder, 'other')]);
    expect([alone.exitCode, alone.stderr]).toEqual([3, expect.stringContaining('no server runs on')]);
  });
});
