import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openServerCalls } from './server-calls.ts';

it('a worker that finds its server by a file tells which address did not answer, and asks the next one there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'noetl-calls-'));
  const file = join(folder, 'server.json');
  await writeFile(file, JSON.stringify({ url: 'http://127.0.0.1:2', token: 'new' }));
  const calls = await openServerCalls({ url: 'http://127.0.0.1:1', token: 'old', file }, 1);
  try {
    await expect(calls.ask('claim', {})).rejects.toThrow('the server http://127.0.0.1:1 does not answer');
    await expect(calls.ask('claim', {})).rejects.toThrow('the server http://127.0.0.1:2 does not answer');
  } finally {
    await calls.close();
    await rm(folder, { recursive: true });
  }
});
