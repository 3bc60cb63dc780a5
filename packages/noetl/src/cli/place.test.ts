import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../free-port.testing.ts';
import { serverOnFolder } from './place.ts';
import { announceServer } from './server-file.ts';
import { thisMachine } from './this-machine.ts';

describe('the server that runs on a folder (DESIGN §5)', { timeout: 30_000 }, () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-place-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const announced = (port: number) =>
    announceServer(folder, { pid: 1, startedAt: '', url: `http://127.0.0.1:${port}`, token: 't', version: '1' });
  const found = (isAlive = true) => serverOnFolder(folder, { ...thisMachine, isAlive: () => isAlive });

  it('is asked where it answers', async () => {
    const server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await announced((server.address() as { port: number }).port);
    expect(await found()).toBeDefined();
    expect(await found(false)).toBeUndefined();
    server.close();
  });

  it('is none where nobody listens, or nobody answers: the store takes what it is told, too', async () => {
    expect(await found()).toBeUndefined();
    await announced(await freePort());
    expect(await found()).toBeUndefined();
    const stuck = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(stuck, 'listening');
    await announced((stuck.address() as { port: number }).port);
    expect(await found()).toBeUndefined();
    stuck.closeAllConnections();
    stuck.close();
  });
});
