import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Machine } from '../../machine.ts';
import { announceServer } from '../../server-file.ts';
import { demandedServer } from '../server/demanded-server.ts';
import { workerServer } from './worker-server.ts';

describe('the server that a command means', () => {
  let folder: string;
  let machine: Machine;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-named-'));
    machine = { environment: {}, workingFolder: folder, isAlive: () => true } as unknown as Machine;
    await announceServer(join(folder, 'a'), running('http://127.0.0.1:4100'));
    await announceServer(join(folder, 'b'), running('https://127.0.0.1'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const running = (url: string) => ({ pid: 7, startedAt: 'now', url, token: `token of ${url}`, version: '1' });
  const meant = (named: { server?: string; data?: string }, environment: Machine['environment'] = {}) =>
    workerServer({ server: undefined, data: undefined, ...named }, { ...machine, environment });

  it('is the one on the data folder of a worker, whatever the environment names', async () => {
    const found = { url: 'http://127.0.0.1:4100', token: 'token of http://127.0.0.1:4100' };
    expect(await meant({ data: 'a' }, { NOETL_SERVER: 'http://127.0.0.1:9' })).toMatchObject(found);
    expect(await meant({}, { NOETL_DATA: 'a' })).toMatchObject(found);
    expect(await meant({ server: 'http://127.0.0.1:9' }, { NOETL_DATA: 'a' })).toMatchObject({
      url: 'http://127.0.0.1:9',
    });
  });

  it('is none where both, or a folder without one, are named', async () => {
    await expect(meant({ data: 'a', server: 'http://127.0.0.1:9' })).rejects.toThrow('Give one of them.');
    await expect(meant({ data: 'none' })).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('noetl server start --data none begins one.'),
    });
  });

  it('has to listen on the port that is named', async () => {
    const [a, b] = [join(folder, 'a'), join(folder, 'b')];
    for (const port of [undefined, 4100]) expect(await demandedServer(a, port, machine)).toMatchObject({ pid: 7 });
    for (const port of [undefined, 443]) expect(await demandedServer(b, port, machine)).toMatchObject({ pid: 7 });
    await expect(demandedServer(a, 8082, machine)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringContaining('listens on http://127.0.0.1:4100, not on port 8082'),
    });
  });
});
