import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServerUnderTest, serverUnderTest } from './server-under-test.testing.ts';

describe('a server on a data folder', { timeout: 60_000 }, () => {
  let folder: string;
  let server: ServerUnderTest;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-server-'));
    server = await serverUnderTest(folder);
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  it('tells that it is there, that it is ready, and which release it is', async () => {
    expect(await server.get('/api/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
    await server.continued;
    expect(await server.get('/api/ready')).toMatchObject({ status: 200, body: { ready: true, executions: 0 } });
    expect(await server.get('/api/version')).toMatchObject({ status: 200, body: { version: '1.2.3', api: 1 } });
  });

  it('answers what it does not know with a problem', async () => {
    const { status, type, body } = await server.get('/api/nothing');
    expect([status, type]).toEqual([404, 'application/problem+json; charset=utf-8']);
    expect(body).toMatchObject({ code: 'NOETL_API_NOT_FOUND', status: 404 });
  });

  it('tells by which methods a path can be asked, and lets whoever watches over it ask by HEAD', async () => {
    expect(await server.send('PUT', '/api/executions')).toMatchObject({
      status: 405,
      body: { code: 'NOETL_API_METHOD', detail: expect.stringContaining('POST, GET') },
    });
    expect(await server.send('DELETE', '/api/executions/x/events')).toMatchObject({ status: 405 });
    expect(await server.send('DELETE', '/api/executions/x/y/z')).toMatchObject({ status: 404 });
    const asked = await fetch(`${server.url}/api/health`, { method: 'HEAD' });
    expect([asked.status, await asked.text()]).toEqual([200, '']);
  });

  it('takes nobody for this machine whom a proxy of this machine speaks for (SEC-4)', async () => {
    expect(await server.get('/api/executions')).toMatchObject({ status: 200 });
    for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
      expect(await server.get('/api/executions', { [header]: 'for=203.0.113.7' }), header).toMatchObject({
        status: 401,
      });
    }
    const own = { 'x-forwarded-for': '203.0.113.7', authorization: `Bearer ${server.token}` };
    expect(await server.get('/api/executions', own)).toMatchObject({ status: 200 });
  });

  it('has the folder for itself, until it ends', async () => {
    await expect(serverUnderTest(folder)).rejects.toThrow('a server runs on this folder already.');
    expect(await server.get('/api/health')).toMatchObject({ status: 200 });
    await server.close();
    server = await serverUnderTest(folder);
    expect(await server.get('/api/health')).toMatchObject({ status: 200 });
  });

  it('serves neither other names nor pages of others (SEC-4)', async () => {
    expect(await server.get('/api/health', { host: 'evil.example' })).toMatchObject({
      status: 403,
      body: { code: 'NOETL_API_ORIGIN' },
    });
    expect(await server.get('/api/health', { origin: 'http://evil.example' })).toMatchObject({ status: 403 });
    expect(await server.get('/api/health', { origin: server.url })).toMatchObject({ status: 200 });
  });
});
