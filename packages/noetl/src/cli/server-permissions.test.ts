import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@noetl/playbook';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../server/http/route.ts';
import { type ServerUnderTest, serverUnderTest } from './server-under-test.testing.ts';

/** Written once more, so that a change of what roles may do is noticed. */
const MAY: Readonly<Record<string, readonly string[]>> = {
  viewer: ['read'],
  runner: ['read', 'run'],
  author: ['read', 'run', 'register'],
  operator: ['read', 'run', 'register', 'verify', 'credentials', 'workers'],
  worker: ['work'],
  admin: ['read', 'run', 'register', 'verify', 'credentials', 'workers', 'tokens', 'audit', 'work'],
};
const ROLES = Object.keys(MAY);

const playbook = (path: string): string =>
  `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: x, path: ${path} }\nworkflow: [{ step: start, tool: [{ a: { kind: noop } }] }]\n`;

describe('who may call which route (SEC-4)', { timeout: 180_000 }, () => {
  let folder: string;
  let server: ServerUnderTest;
  const tokens = new Map<string, string>();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-permissions-'));
    server = await serverUnderTest(folder, { ...process.env, NOETL_API_RATE: '0' });
    const own = { authorization: `Bearer ${server.token}` };
    const make = async (name: string, body: object): Promise<void> => {
      const made = await server.send('POST', '/api/tokens', { name, ...body }, own);
      expect(made.status).toBe(201);
      tokens.set(name, field(made.body, 'token'));
    };
    for (const role of ROLES) await make(role, { role });
    await make('scoped', { role: 'author', prefix: 'flows/a' });
    await make('bound', { role: 'operator', prefix: 'flows/a' });
    await make('revoked', { role: 'admin' });
    await server.send('DELETE', '/api/tokens/revoked', undefined, own);
    await make('short', { role: 'admin', expires_in: 1 });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const field = (json: Json, name: string): string => (json as Readonly<Record<string, string>>)[name] ?? '';
  const fieldsOf = (json: Json): Json => (json as { entries?: readonly Json[] }).entries?.[0] ?? null;
  const bearer = (name: string): Record<string, string> => ({ authorization: `Bearer ${tokens.get(name) ?? name}` });
  /** What is asked for is never there: only who may ask is looked at. */
  const ask = (route: Route, headers: Record<string, string>) => {
    const path = route.path.replace(/\{\w+\}/g, 'none');
    const body = route.method === 'POST' || route.method === 'PUT' ? { nothing: 1 } : undefined;
    // Nothing here may be done in earnest.
    const harmless = path === '/api/credentials/rotate' ? '/api/credentials/rotate?x' : path;
    return server.send(route.method, harmless, body, headers);
  };

  it('knows a permission for every route, and every permission is one that a role has', () => {
    expect(server.routes.length).toBeGreaterThan(30);
    const known = new Set(['public', ...Object.values(MAY).flat()]);
    for (const { permission } of server.routes) expect(known).toContain(permission);
  });

  it.each([
    ['no token', {}],
    ['a wrong token', { authorization: 'Bearer noetl_wrong' }],
    ['another scheme', { authorization: 'Basic YWRtaW46YWRtaW4=' }],
  ] as const)('refuses every route but the public ones for %s', async (_, headers) => {
    for (const route of server.routes) {
      const { status, body } = await ask(route, headers);
      if (route.permission === 'public') expect([200, 503], route.path).toContain(status);
      else expect([status, field(body, 'code')], route.path).toEqual([401, 'NOETL_API_UNAUTHENTICATED']);
    }
  });

  it.each(['short', 'revoked'])('refuses every route for a token that is not valid any more (%s)', async (name) => {
    for (const route of server.routes) {
      if (route.permission === 'public') continue;
      expect((await ask(route, bearer(name))).status, route.path).toBe(401);
    }
  });

  it.each(ROLES)('lets a %s do what its role allows, and nothing else', async (role) => {
    for (const route of server.routes) {
      const { status, body } = await ask(route, bearer(role));
      const code = status === 403 ? field(body, 'code') : '';
      const allowed = route.permission === 'public' || MAY[role]?.includes(route.permission);
      expect(code === 'NOETL_API_FORBIDDEN', `${role}: ${route.method} ${route.path}`).toBe(!allowed);
      expect(status, `${role}: ${route.method} ${route.path}`).not.toBe(401);
    }
  });

  it('shows a token with a prefix only what is within it', async () => {
    const author = (path: string) => server.send('POST', '/api/catalog', { text: playbook(path) }, bearer('scoped'));
    expect((await author('flows/a/one')).status).toBe(200);
    expect(await author('flows/ab')).toMatchObject({ status: 403 });
    const admin = (path: string) => server.send('POST', '/api/catalog', { text: playbook(path) }, bearer('admin'));
    expect((await admin('flows/b')).status).toBe(200);
    const listed = await server.get('/api/catalog', bearer('scoped'));
    expect(listed.body).toMatchObject({ playbooks: [{ path: 'flows/a/one' }], next: null });
    expect((await server.get('/api/catalog/flows%2Fb', bearer('scoped'))).status).toBe(404);
    const start = (path: string, who: string) => server.send('POST', '/api/executions', { path }, bearer(who));
    expect((await start('flows/b', 'scoped')).status).toBe(404);
    const other = field((await start('flows/b', 'admin')).body, 'execution_id');
    expect((await server.get(`/api/executions/${other}`, bearer('scoped'))).status).toBe(404);
    expect((await server.get(`/api/executions/${other}/events`, bearer('scoped'))).status).toBe(404);
    const own = field((await start('flows/a/one', 'scoped')).body, 'execution_id');
    const executions = await server.get('/api/executions', bearer('scoped'));
    expect(executions.body).toMatchObject({ executions: [{ execution_id: own }], next: null });
  });

  it.each(['admin', 'worker'])('makes no %s whose token is bound to a path', async (role) => {
    const made = await server.send('POST', '/api/tokens', { name: `x-${role}`, role, prefix: 'a' }, bearer('admin'));
    expect(made).toMatchObject({ status: 400, body: { errors: [{ field: 'body.prefix' }] } });
  });

  it('lets a token with a prefix do nothing that has to do with no path', async () => {
    for (const route of server.routes) {
      if (!['credentials', 'workers', 'tokens', 'audit', 'work'].includes(route.permission)) continue;
      expect((await ask(route, bearer('bound'))).status, route.path).toBe(403);
    }
    expect((await server.send('PUT', '/api/credentials/k', {}, bearer('bound'))).body).toMatchObject({
      detail: expect.stringContaining("a token that is bound to 'flows/a' does not have"),
    });
  });

  it('tells a token with a prefix nothing of an execution beyond it whose id it names', async () => {
    const id = '0123456789abcdefghij';
    await server.send('POST', '/api/catalog', { text: playbook('flows/c') }, bearer('admin'));
    await server.send('POST', '/api/catalog', { text: playbook('flows/a/c') }, bearer('admin'));
    const start = (path: string, who: string) =>
      server.send('POST', '/api/executions', { path, execution_id: id }, bearer(who));
    expect((await start('flows/c', 'admin')).status).toBe(201);
    const { status, body } = await start('flows/a/c', 'scoped');
    expect([status, field(body, 'code')]).toEqual([409, 'NOETL_EXECUTION_EXISTS']);
    expect(JSON.stringify(body)).not.toContain('flows/c');
  });

  it('records a token that controls an execution by its own name, whoever it says to be', async () => {
    const waits = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: w, path: w }\nworkflow: [{ step: start, tool: { kind: wait, for: signal, name: go } }]\n`;
    await server.send('POST', '/api/catalog', { text: waits }, bearer('admin'));
    const begun = await server.send('POST', '/api/executions', { path: 'w' }, bearer('runner'));
    const path = `/api/executions/${field(begun.body, 'execution_id')}`;
    await server.send('POST', `${path}/signal`, { name: 'go', by: 'the boss' }, bearer('runner'));
    const { body } = await server.get(`${path}/events`, bearer('runner'));
    expect(JSON.stringify(body)).toContain('"by":"the boss (token runner)"');
  });

  it('notes what was made, and whose token it was that is not valid any more', async () => {
    const told = async () => fieldsOf((await server.get('/api/audit?limit=1', bearer('admin'))).body);
    await server.send('POST', '/api/tokens', { name: 'noted', role: 'viewer', prefix: 'a' }, bearer('admin'));
    expect(await told()).toMatchObject({ by: 'admin', what: 'POST /api/tokens noted (viewer within a)', status: 201 });
    await server.get('/api/executions', bearer('revoked'));
    expect(await told()).toMatchObject({ by: 'revoked', what: 'GET /api/executions', status: 401 });
    const { body } = await server.send('POST', '/api/executions', { path: 'flows/b' }, bearer('runner'));
    expect(await told()).toMatchObject({
      by: 'runner',
      what: `POST /api/executions ${field(body, 'execution_id')} of flows/b@1`,
    });
  });

  it('notes who changed what and who was refused, and nothing of what was sent', async () => {
    await server.send('PUT', '/api/credentials/k', { kind: 'bearer', value: 'secret-of-the-test' }, bearer('operator'));
    await server.send('PUT', '/api/credentials/k', { kind: 'bearer', value: 'secret-of-the-test' }, bearer('viewer'));
    const { body } = await server.get('/api/audit?limit=2', bearer('admin'));
    expect(body).toMatchObject({
      entries: [
        { by: 'viewer', from: '127.0.0.1', what: 'PUT /api/credentials/k', status: 403 },
        { by: 'operator', from: '127.0.0.1', what: 'PUT /api/credentials/k' },
      ],
    });
    const all = JSON.stringify((await server.get('/api/audit?limit=1000', bearer('admin'))).body);
    for (const token of tokens.values()) expect(all).not.toContain(token);
    expect(all).not.toContain('secret-of-the-test');
  });

  it('shows a token once, and keeps only its hash', async () => {
    const listed = JSON.stringify((await server.get('/api/tokens', bearer('admin'))).body);
    for (const token of tokens.values()) expect(listed).not.toContain(token);
  });
});
