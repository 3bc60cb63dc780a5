import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { append } from '../ports/log-under-test.testing.ts';
import { requested } from '../ports/sample-events.testing.ts';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import { openDataFolder } from './data-folder.ts';
import { type ServerUnderTest, serverUnderTest } from './server-under-test.testing.ts';
import { systemClock } from './system-clock.ts';
import { thisMachine } from './this-machine.ts';

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

  /** An execution whose playbook nobody knows. */
  async function leaveUnknown(execution: string): Promise<void> {
    const data = await openDataFolder(folder, systemClock, 'run', thisMachine);
    await data.store.log.append([append(execution, 0, { events: [requested(execution, 1, 'p')] })]);
    await data.close();
  }

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

  it('lets pages of the origins that are named call it, and says so to browsers', async () => {
    const page = 'https://ui.example';
    await server.close();
    server = await serverUnderTest(folder, { ...process.env, NOETL_ORIGINS: `${page}/, http://localhost:5173` });
    const asked = await fetch(`${server.url}/api/health`, { headers: { origin: page } });
    expect(asked.headers.get('access-control-allow-origin')).toBe(page);
    expect(asked.headers.get('vary')).toBe('origin');
    const before = { origin: page, 'access-control-request-method': 'POST' };
    const allowed = await fetch(`${server.url}/api/executions`, { method: 'OPTIONS', headers: before });
    expect([allowed.status, allowed.headers.get('access-control-allow-methods')]).toEqual([204, 'POST, GET']);
    expect(allowed.headers.get('access-control-allow-headers')).toContain('authorization');
    const refused = await fetch(`${server.url}/api/executions`, {
      headers: { ...before, origin: 'https://evil.example' },
    });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    expect(await server.send('OPTIONS', '/api/executions')).toMatchObject({ status: 405 });
  });

  it('goes on with all that is unfinished when it starts again, and tells once of what cannot go on', async () => {
    const text = JSON.stringify(WAITING);
    expect(await server.send('POST', '/api/catalog', { text })).toMatchObject({ status: 200 });
    for (let nth = 0; nth < 70; nth++) {
      expect(await server.send('POST', '/api/executions', { path: 'waiting' })).toMatchObject({ status: 201 });
    }
    await server.close();
    const early = await serverUnderTest(folder);
    await early.close();
    expect(early.complaints()).toBe('');
    await leaveUnknown('lost');
    const clock = createVirtualClock();
    server = await serverUnderTest(folder, process.env, { clock });
    expect(await server.continued).toBe(70);
    expect(await server.get('/api/ready')).toMatchObject({ body: { ready: true, executions: 70 } });
    const told = (execution: string) => `the execution '${execution}' does not go on: `;
    expect(server.complaints()).toContain(told('lost'));
    // Of each look something new is told, so that it is known to be over when the one behind it tells.
    for (const [nth, execution] of ['second', 'third', 'fourth'].entries()) {
      await leaveUnknown(execution);
      clock.advanceTo((nth + 1) * 11_000);
      await expect.poll(() => server.complaints(), { timeout: 20_000 }).toContain(told(execution));
    }
    expect(server.complaints().split(told('lost'))).toHaveLength(2);
  });
});

const WAITING = {
  apiVersion: 'noetl.io/v2',
  kind: 'Playbook',
  metadata: { name: 'waiting' },
  workflow: [{ step: 'start', tool: { kind: 'wait', for: 'signal', name: 'go' } }],
};
