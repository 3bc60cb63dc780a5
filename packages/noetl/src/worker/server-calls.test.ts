import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freePort } from '../free-port.testing.ts';
import { openServerCalls } from './server-calls.ts';

it('a worker that finds its server by a file tells which address did not answer, and asks the next one there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'noetl-calls-'));
  const [old, next] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`) as [
    string,
    string,
  ];
  const file = join(folder, 'server.json');
  await writeFile(file, JSON.stringify({ url: next, token: 'new' }));
  const calls = await openServerCalls({ url: old, token: 'old', file }, 1);
  try {
    await expect(calls.ask('claim', {}, 1_000)).rejects.toThrow(`the server ${old} does not answer`);
    await expect(calls.ask('claim', {}, 1_000)).rejects.toThrow(`the server ${next} does not answer`);
  } finally {
    await calls.close();
    await rm(folder, { recursive: true });
  }
});
