import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@noetl/playbook';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../client/client.ts';
import { type ServerUnderTest, serverUnderTest } from './server-under-test.testing.ts';

const playbook = (name: string, workflow: string): string =>
  `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: ${name}, path: flows/${name} }\nworkload: { city: Bern }\n${workflow}`;

const GREET = playbook(
  'greet',
  `workflow:
  - step: start
    tool: [{ say: { kind: noop, result: "hello {{ workload.city }}" } }]
`,
);
const WAIT = playbook(
  'wait',
  `workflow:
  - step: start
    tool: [{ ask: { kind: wait, for: signal, name: go } }]
    next: { arcs: [{ step: then }] }
  - step: then
    tool: [{ done: { kind: noop, result: "{{ workload.city }}" } }]
`,
);

type Fields = Record<string, never>;
const fields = (json: Json): Fields => json as Fields;

describe('the API', { timeout: 60_000 }, () => {
  let folder: string;
  let server: ServerUnderTest;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-api-'));
    server = await serverUnderTest(folder);
    for (const text of [GREET, WAIT]) await server.send('POST', '/api/catalog', { text });
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const post = (path: string, body?: unknown, headers?: Record<string, string>) =>
    server.send('POST', path, body, headers);
  const started = async (path: string, payload = {}): Promise<string> =>
    fields((await post('/api/executions', { path, payload })).body).execution_id ?? '';
  /** Reads the live events up to the last. */
  const live = async (id: string, headers: Record<string, string> = {}): Promise<readonly string[]> => {
    const answer = await fetch(`${server.url}/api/executions/${id}/live`, { headers });
    return (await answer.text()).match(/^id: \d+$/gm)?.map((line) => line.slice(4)) ?? [];
  };

  it('registers versions with the hash of their content, and knows them again', async () => {
    const text = playbook('versions', 'workflow: [{ step: start, tool: [{ a: { kind: noop } }] }]\n');
    const first = await post('/api/catalog', { text });
    expect(first).toMatchObject({ status: 200, body: { path: 'flows/versions', version: 1, status: 'registered' } });
    expect(await post('/api/catalog', { text })).toMatchObject({ body: { version: 1, status: 'unchanged' } });
    expect(await post('/api/catalog', { text: `${text}# more\n` })).toMatchObject({ body: { version: 2 } });
    expect(await server.get('/api/catalog/flows%2Fversions')).toMatchObject({ body: { version: 2 } });
    expect(await server.get('/api/catalog/flows%2Fversions?version=1')).toMatchObject({ body: { version: 1, text } });
    const id = fields(first.body).playbook_id;
    expect(await server.get(`/api/playbooks/${id}`)).toMatchObject({ body: { path: 'flows/versions', text } });
    const page = await server.get('/api/catalog/flows%2Fversions/versions?limit=1');
    expect(page.body).toMatchObject({ versions: [{ version: 2 }], next: 2 });
    expect(await server.get('/api/catalog/flows%2Fversions/versions?limit=1&before=2')).toMatchObject({
      body: { versions: [{ version: 1 }], next: null },
    });
    expect(await server.get('/api/catalog/flows%2Fversoins')).toMatchObject({
      status: 404,
      body: { code: 'NOETL_API_PLAYBOOK_UNKNOWN', detail: expect.stringContaining("Did you mean 'flows/versions'?") },
    });
  });

  it('lists the catalog in pages', async () => {
    const first = await server.get('/api/catalog?limit=1');
    expect(first.body).toMatchObject({ playbooks: [{ path: 'flows/greet' }], next: 'flows/greet' });
    const second = await server.get('/api/catalog?limit=1&after=flows%2Fgreet');
    expect(second.body).not.toMatchObject({ playbooks: [{ path: 'flows/greet' }] });
  });

  it('says what is wrong with a playbook, and registers none that is not valid', async () => {
    const { status, body } = await post('/api/catalog', { text: 'kind: Nothing', file: 'x.yaml' });
    expect([status, fields(body).code]).toEqual([422, 'NOETL_API_PLAYBOOK_INVALID']);
    const validated = await post('/api/catalog/validate', { text: 'kind: Nothing', file: 'x.yaml' });
    expect(validated).toMatchObject({ status: 200, body: { valid: false } });
    expect(fields(validated.body).diagnostics).toEqual(fields(body).diagnostics);
  });

  it('ends live events at once for who has them all already, and refuses a position that is none', async () => {
    const id = await started('flows/greet');
    const last = (await live(id)).at(-1) ?? '';
    const at = (position: string) => server.get(`/api/executions/${id}/live`, { 'last-event-id': position });
    expect((await at(last)).status).toBe(204);
    for (const wrong of [`${Number(last) + 1}`, '-1', 'x', '1.5']) expect((await at(wrong)).status, wrong).toBe(400);
    const seen = [];
    for await (const { seq } of createClient({ url: server.url }).executions.live(id, { after: Number(last) - 1 }))
      seen.push(seq);
    expect(seen).toEqual([Number(last)]);
    for await (const _ of createClient({ url: server.url }).executions.live(id, { after: Number(last) }))
      throw new Error('there is one more');
  });

  it('tells a filter that it does not know, and a body that is no JSON', async () => {
    expect(await server.get('/api/executions?stat=error')).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('stat') },
    });
    for (const type of ['application/octet-stream', 'text/plain', 'application/x-www-form-urlencoded']) {
      const sent = await post('/api/executions', '{"path":"flows/greet"}', { 'content-type': type });
      expect(sent, type).toMatchObject({ status: 400, body: { detail: expect.stringContaining('application/json') } });
    }
  });

  it('starts a playbook by path or id, follows it to its end, and gives its result', async () => {
    const id = await started('flows/greet', { city: 'Graz' });
    const seqs = await live(id);
    expect(seqs).toEqual(Array.from(seqs, (_, index) => `${index + 1}`));
    expect(await server.get(`/api/executions/${id}/result`)).toMatchObject({
      status: 200,
      body: { status: 'success', error: null, result: 'hello Graz' },
    });
    expect(await live(id, { 'last-event-id': seqs.at(-2) ?? '' })).toEqual([seqs.at(-1)]);
    const events = await server.get(`/api/executions/${id}/events?limit=2&after=1`);
    expect(events.body).toMatchObject({ events: [{ seq: 2 }, { seq: 3 }], next: 3 });
    const { playbook_id } = fields((await server.get('/api/catalog/flows%2Fgreet')).body);
    expect(await post('/api/executions', { playbook_id })).toMatchObject({ status: 201, body: { version: 1 } });
  });

  it('names what it does not know in a request, and what it does', async () => {
    expect(await server.get('/api/executions?stauts=running')).toMatchObject({
      status: 400,
      body: { detail: "query: 'stauts' is not known, expected one of status, path, parent, top, before, limit." },
    });
    expect(await post('/api/executions', { path: 'greet', playload: {} })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining("body: 'playload' is not known") },
    });
  });

  it('begins once what is asked for twice with one key, and refuses the key for something else', async () => {
    const ask = (payload: object) =>
      post('/api/executions', { path: 'flows/greet', payload }, { 'idempotency-key': 'order 17' });
    const answers = await Promise.all([ask({ city: 'Ulm' }), ask({ city: 'Ulm' }), ask({ city: 'Ulm' })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(new Set(answers.map(({ body }) => fields(body).execution_id)).size).toBe(1);
    expect(await ask({ city: 'Wien' })).toMatchObject({ status: 409, body: { code: 'NOETL_API_KEY_REUSED' } });
  });

  it('pauses, resumes, signals and cancels (ENG-14)', async () => {
    const id = await started('flows/wait');
    const at = `/api/executions/${id}`;
    expect(await post(`${at}/pause`, { reason: 'lunch' })).toMatchObject({ body: { status: 'paused', driven: true } });
    expect(await server.get(at)).toMatchObject({ body: { status: 'paused', driver: { pid: process.pid } } });
    expect(await post(`${at}/resume`)).toMatchObject({ body: { status: 'running' } });
    expect(await post(`${at}/signal`, { name: 'og' })).toMatchObject({
      status: 409,
      body: { code: 'NOETL_API_REFUSED', detail: expect.stringContaining("'go'") },
    });
    expect(await server.get(`${at}/result`)).toMatchObject({ status: 409, body: { code: 'NOETL_API_UNFINISHED' } });
    expect(await post(`${at}/signal`, { name: 'go' })).toMatchObject({ status: 200 });
    await live(id);
    expect(await post(`${at}/pause`)).toMatchObject({ status: 409, body: { code: 'NOETL_EXECUTION_OVER' } });
    const other = await started('flows/wait');
    const cancelled = await post(`/api/executions/${other}/cancel`);
    expect(cancelled).toMatchObject({ body: { status: 'cancelled' } });
    expect(await server.get(`/api/executions/${other}/result`)).toMatchObject({ body: { status: 'cancelled' } });
  });

  it('forks, compares, verifies, and tells the state at any event', async () => {
    const id = await started('flows/greet');
    await live(id);
    const forked = await post(`/api/executions/${id}/fork`, { at: 3, workload: { city: 'Linz' } });
    expect(forked).toMatchObject({ status: 201, body: { origin: { execution_id: id, seq: 3 } } });
    const fork = fields(forked.body).execution_id ?? '';
    await live(fork);
    expect(await server.get(`/api/executions/${fork}/result`)).toMatchObject({ body: { result: 'hello Linz' } });
    expect(await server.get(`/api/executions/${id}/diff?with=${fork}`)).toMatchObject({ body: { equal: false } });
    expect(await post(`/api/executions/${fork}/verify`)).toMatchObject({ body: { intact: true } });
    expect(await server.get(`/api/executions/${id}/state?at=2`)).toMatchObject({ body: { seq: 2 } });
    expect(await server.get(`/api/executions/${id}/status`)).toMatchObject({ body: { status: 'success' } });
    expect(await post(`/api/executions/${id}/fork`, { at: 999 })).toMatchObject({ status: 409 });
  });

  it('lists executions by filters, in pages, newest first', async () => {
    const ids = [await started('flows/greet'), await started('flows/greet'), await started('flows/greet')];
    const first = await server.get('/api/executions?path=flows%2Fgreet&limit=2');
    const found = fields(first.body).executions as unknown as readonly { execution_id: string }[];
    expect(found.map(({ execution_id }) => execution_id)).toEqual([ids[2], ids[1]]);
    const second = await server.get(`/api/executions?path=flows%2Fgreet&limit=1&before=${fields(first.body).next}`);
    expect(second.body).toMatchObject({ executions: [{ execution_id: ids[0] }] });
    expect(await server.get('/api/executions?status=paused')).toMatchObject({ body: { executions: [], next: null } });
  });

  it.each([
    ['a body that is no JSON', 'POST', '/api/executions', '{', 400, 'NOETL_API_REQUEST'],
    ['a field that is missing', 'POST', '/api/executions', {}, 400, 'NOETL_API_REQUEST'],
    ['a field that nobody knows', 'POST', '/api/executions', { path: 'a', paylod: {} }, 400, 'NOETL_API_REQUEST'],
    ['a page that is too large', 'GET', '/api/executions?limit=100000', undefined, 400, 'NOETL_API_REQUEST'],
    ['an execution that is not there', 'GET', '/api/executions/none', undefined, 404, 'NOETL_EXECUTION_UNKNOWN'],
    [
      'a number that JSON cannot hold',
      'POST',
      '/api/executions',
      '{"path":"a","payload":{"x":1e400}}',
      400,
      'NOETL_API_REQUEST',
    ],
    [
      'data that is nested too deeply',
      'POST',
      '/api/executions',
      `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
      422,
      'NOETL_DATA_TOO_DEEP',
    ],
    ['more than 4 MiB', 'POST', '/api/executions', `{"path":"${'x'.repeat(4_300_000)}"}`, 413, 'NOETL_API_TOO_LARGE'],
  ] as const)('answers %s with a problem', async (_, method, path, body, status, code) => {
    const answer = await server.send(method, path, body);
    expect([answer.status, answer.type]).toEqual([status, 'application/problem+json; charset=utf-8']);
    expect(answer.body).toMatchObject({ status, code });
    expect(JSON.stringify(answer.body)).not.toMatch(/\.ts:|node_modules/);
  });

  it('takes bodies only as JSON: a form of a stranger page is none', async () => {
    const answer = await server.send('POST', '/api/executions', '{"path":"flows/greet"}', {
      'content-type': 'text/plain',
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'NOETL_API_REQUEST' } });
  });

  it('keeps integers exactly (TPL-8)', async () => {
    const body = '{"path":"flows/greet","payload":{"city":12345678901234567890}}';
    const { body: answer } = await post('/api/executions', body);
    const id = fields(answer).execution_id ?? '';
    await live(id);
    expect(await server.get(`/api/executions/${id}/result`)).toMatchObject({
      body: { result: 'hello 12345678901234567890' },
    });
  });
});
