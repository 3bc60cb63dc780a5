import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toolsUnderTest } from '../task-call.testing.ts';
import { type Api, openApi } from './local-api.testing.ts';

const LIMIT = 100_000;
const noOpenssl = spawnSync('openssl', ['version']).status !== 0;
const under = toolsUnderTest({ responseBytes: LIMIT });
let api: Api;
let other: Api;

beforeAll(async () => {
  [api, other] = await Promise.all([openApi(), openApi()]);
});
beforeEach(() => {
  for (const { seen } of [api, other]) seen.length = 0;
  other.answer = (_, response) => response.end('other');
});
afterAll(async () => {
  await under.tools.close();
  for (const { server } of [api, other]) server.close();
});

const run = (fields: string, given = {}) => under.run(`kind: http\n${fields.replaceAll('URL', api.url)}`, given);
const json = (value: unknown, status = 200, headers = {}) => {
  api.answer = (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };
};
const send = (body: string | Buffer, headers: Record<string, string> = {}, status = 200) => {
  api.answer = (_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
};

describe('http: what is sent', () => {
  beforeEach(() => json({}));

  it('sends method, parameters and headers, and the key of the visit', async () => {
    await run(
      'method: put\nurl: "URL/items?a=1"\nparams: { q: "{{ workload.q }}", n: 5, list: [1, 2], none: "{{ none }}" }\nheaders: { X-Mine: "{{ 7 }}" }',
      { workload: { q: 'a b&c=ü' } },
    );
    expect(api.seen).toMatchObject([
      {
        method: 'PUT',
        url: '/items?a=1&q=a+b%26c%3D%C3%BC&n=5&list=1&list=2',
        headers: { 'x-mine': '7', 'idempotency-key': 'key-of-this-visit', 'user-agent': 'noetl' },
      },
    ]);
  });

  it.each([
    ['json', 'json: { a: [1, "{{ workload.v }}"] }', '{"a":[1,"ä"]}', 'application/json'],
    ['form', 'form: { a: 1, b: "{{ workload.v }} c" }', 'a=1&b=%C3%A4+c', 'application/x-www-form-urlencoded'],
    ['body', 'body: "plain {{ workload.v }}"', 'plain ä', undefined],
    ['body of another type', 'body: { a: 1 }', '{"a":1}', 'application/json'],
    ['json of a type of its own', 'json: 1\nheaders: { Content-Type: application/x }', '1', 'application/x'],
    ['nothing', 'method: GET', '', undefined],
  ])('sends %s', async (_, fields, body, type) => {
    await run(`url: URL/\n${fields.includes('method') ? '' : 'method: POST\n'}${fields}`, { workload: { v: 'ä' } });
    expect(api.seen[0]?.body).toBe(body);
    expect(api.seen[0]?.headers['content-type']).toBe(type);
  });

  it.each([
    ['a bearer token', { token: 'tok' }, { authorization: 'Bearer tok' }],
    ['a text', 'tok', { authorization: 'Bearer tok' }],
    [
      'a user with a password',
      { username: 'ada', password: 'päss' },
      { authorization: `Basic ${Buffer.from('ada:päss').toString('base64')}` },
    ],
    ['an api key', { api_key: 'k' }, { 'x-api-key': 'k' }],
    ['an api key in a header', { api_key: 'k', header: 'X-Token' }, { 'x-token': 'k' }],
  ])('authorizes with %s of the keychain', async (_, credential, headers) => {
    await run('url: URL/\nauth: api', { keychain: { api: credential } });
    expect(api.seen[0]?.headers).toMatchObject(headers);
  });

  it('authorizes by a parameter, by the address, or by a mapping', async () => {
    await run('url: URL/\nauth: api', { keychain: { api: { api_key: 'k', param: 'key' } } });
    await run(`url: ${api.url.replace('//', '//ada:p%40ss@')}/`);
    await run('url: URL/\nauth: { token: "{{ keychain.t }}" }', { keychain: { t: 'tok' } });
    await run('url: URL/\nauth: "{{ keychain.t }}"', { keychain: { t: 'tok' } });
    expect(api.seen[0]?.url).toBe('/?key=k');
    expect(api.seen[1]?.headers.authorization).toBe(`Basic ${Buffer.from('ada:p@ss').toString('base64')}`);
    expect(api.seen[2]?.headers.authorization).toBe('Bearer tok');
    expect(api.seen[3]?.headers.authorization).toBe('Bearer tok');
  });

  it('never shows what may be a secret in place of a name', async () => {
    const answer = await run('url: URL/\nauth: "{{ keychain.t }}-wrong"', { keychain: { t: 's3cr3t' } });
    expect(answer.error?.message).toBe(
      "the task 't' asks for the credential that its template gives, which the keychain does not have.",
    );
  });

  it.each([
    [
      'an unknown credential',
      'url: URL/\nauth: "{{ workload.auth }}"',
      'auth',
      "the credential 'apj', which the keychain does not have. Did you mean 'api'?",
    ],
    ['a credential that is none', 'url: URL/\nauth: odd', 'auth', 'has none of: a token'],
    [
      'no address',
      'url: "{{ workload.auth }}"',
      'task.field',
      "'url' of the task 't' is no address that begins with http",
    ],
    ['another scheme', 'url: file:///etc/passwd', 'task.field', 'is no address'],
    ['an address without host', 'url: "http://"', 'task.field', 'is no address'],
    ['no method', 'url: URL/\nmethod: "GE T"', 'task.field', 'is no HTTP method'],
    [
      'a header with a line break',
      'url: URL/\nheaders: { X: "a\\nEvil: b" }',
      'task.field',
      "a value for 'x' that no header can have",
    ],
    [
      'a header of the connection',
      'url: URL/\nheaders: { Transfer-Encoding: x }',
      'task.field',
      'cannot be sent: invalid transfer-encoding',
    ],
    [
      'a wrong length',
      'url: URL/\nmethod: POST\nbody: abc\nheaders: { Content-Length: 5 }',
      'task.field',
      'not as long as was announced',
    ],
    ['the name of a header', 'url: URL/\nheaders: { "a b": c }', 'task.field', 'has the name "a b"'],
    ['parameters that are a list', 'url: URL/\nparams: "{{ [1] }}"', 'task.field', 'expected a mapping'],
    [
      'a type of response',
      'url: URL/\nresponse_type: "{{ \'xml\' }}"',
      'task.field',
      'expected one of json, text, binary',
    ],
  ])('refuses %s', async (_, fields, kind, message) => {
    const answer = await run(fields, { workload: { auth: 'apj' }, keychain: { api: 'x', odd: { host: 'h' } } });
    expect(answer).toMatchObject({
      status: 'error',
      error: { kind, retryable: false, message: expect.stringContaining(message) },
      http: { status: null },
    });
    expect(api.seen).toEqual([]);
  });
});

describe('http: what comes back', () => {
  it('gives status, the headers that may be shown, and the body', async () => {
    json({ a: 1 }, 201, { 'x-request-id': 'r1', 'set-cookie': 'session=secret', 'x-ratelimit-remaining': '5' });
    const headers = { 'content-type': 'application/json', 'x-request-id': 'r1', 'x-ratelimit-remaining': '5' };
    const answer = await run('url: URL/');
    expect(answer).toMatchObject({
      status: 'ok',
      result: { status: 201, headers, data: { a: 1 } },
      http: { status: 201, headers, request_id: 'r1' },
    });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  it.each([
    [
      'integers exactly',
      '{"id": 12345678901234567890, "s": "12345678901234567890"}',
      { 'content-type': 'application/problem+json' },
      '',
      { id: '12345678901234567890', s: '12345678901234567890' },
    ],
    ['an empty body', '', { 'content-type': 'application/json' }, '', null],
    ['text', 'hällo', { 'content-type': 'text/plain' }, '', 'hällo'],
    [
      'text in another charset',
      Buffer.from('h\xe4llo', 'latin1'),
      { 'content-type': 'text/plain; charset=iso-8859-1' },
      '',
      'hällo',
    ],
    ['text without a type', 'plain', {}, '', 'plain'],
    ['bytes', Buffer.from([255, 0]), { 'content-type': 'image/png' }, '', { base64: '/wA=', size: 2 }],
    ['bytes without a type', Buffer.from([255, 0]), {}, '', { base64: '/wA=', size: 2 }],
    ['json as text', '{"a":1}', { 'content-type': 'application/json' }, 'text', '{"a":1}'],
    ['text as json', '{"a":1}', { 'content-type': 'text/plain' }, 'json', { a: 1 }],
    ['text as bytes', 'ab', { 'content-type': 'text/plain' }, 'binary', { base64: 'YWI=', size: 2 }],
    ['gzip', gzipSync('{"z":1}'), { 'content-type': 'application/json', 'content-encoding': 'gzip' }, '', { z: 1 }],
    [
      'deflate',
      deflateSync('{"z":1}'),
      { 'content-type': 'application/json', 'content-encoding': 'deflate' },
      '',
      { z: 1 },
    ],
    [
      'brotli',
      brotliCompressSync('{"z":1}'),
      { 'content-type': 'application/json', 'content-encoding': 'br' },
      '',
      { z: 1 },
    ],
  ])('reads %s', async (_, body, headers, type, data) => {
    send(body, headers as Record<string, string>);
    const answer = await run(`url: URL/${type === '' ? '' : `\nresponse_type: ${type}`}`);
    expect(answer).toMatchObject({ status: 'ok', result: { data } });
  });

  it.each([
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [429, true],
    [500, true],
    [501, false],
    [503, true],
  ])('makes %i an error that keeps its body', async (status, retryable) => {
    json({ why: 'so' }, status, { 'retry-after': '7' });
    expect(await run('url: "URL/a?token=hidden"')).toMatchObject({
      status: 'error',
      result: { status, data: { why: 'so' } },
      error: {
        kind: 'http.status',
        retryable,
        message: `GET ${api.url}/a of the task 't' answered ${status}.`,
        details: { status, retry_after: '7' },
      },
      http: { status },
    });
  });

  it('keeps the body of an error as it is, whatever its type says', async () => {
    send('<html>', { 'content-type': 'application/json' }, 502);
    expect(await run('url: URL/')).toMatchObject({ error: { kind: 'http.status' }, result: { data: '<html>' } });
    send('<html>', { 'content-type': 'application/json' });
    expect(await run('url: URL/')).toMatchObject({
      error: {
        kind: 'http.body',
        message: `GET ${api.url}/ of the task 't' answered 200 with a body that is no JSON.`,
      },
      result: { status: 200, data: '<html>' },
    });
    send('no gzip', { 'content-encoding': 'gzip' });
    expect(await run('url: URL/')).toMatchObject({ error: { kind: 'http.body' }, http: { status: 200 } });
  });

  it.each([
    ['announced', 'x'.repeat(LIMIT + 1), {}],
    ['unpacked', gzipSync(Buffer.alloc(50_000_000)), { 'content-encoding': 'gzip' }],
  ])('stops reading what is too large, %s', async (_, body, headers) => {
    send(body, headers as Record<string, string>);
    expect(await run('url: URL/')).toMatchObject({
      error: { kind: 'http.size', message: `GET ${api.url}/ of the task 't' answered with more than ${LIMIT} bytes.` },
      http: { status: 200 },
    });
  });
});

describe('http: redirects', () => {
  const redirect = (to: string, status = 302) => {
    api.answer = (request, response) => {
      if (request.url !== '/from') return response.end('there');
      response.writeHead(status, { location: to });
      return response.end('moved');
    };
  };

  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [307, 'POST', 'POST', '1'],
    [308, 'PUT', 'PUT', '1'],
    [302, 'PUT', 'PUT', '1'],
  ])('follows %i of a %s with a %s', async (status, method, then, body) => {
    redirect('/to', status);
    expect(await run(`url: URL/from\nmethod: ${method}\njson: 1`)).toMatchObject({
      status: 'ok',
      result: { data: 'there' },
    });
    expect(api.seen[1]).toMatchObject({ method: then, url: '/to', body });
  });

  it('takes credentials along to the same origin only', async () => {
    redirect('/to');
    await run('url: URL/from\nauth: api', { keychain: { api: 'tok' } });
    expect(api.seen[1]?.headers.authorization).toBe('Bearer tok');
    redirect(`${other.url}/to`);
    await run('url: URL/from\nauth: api\nheaders: { Cookie: c, X-Api-Key: k, Accept: text/plain }', {
      keychain: { api: 'tok' },
    });
    const { host, connection, ...headers } = other.seen[0]?.headers ?? {};
    expect(headers).toEqual({
      accept: 'text/plain',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'noetl',
      'idempotency-key': 'key-of-this-visit',
    });
  });

  it.each([
    ['basic authorization of the address', 'url: http://ada:p@HOST/from', {}],
    ['an api key in the query', 'url: "URL/from?own=1"\nauth: api', { api: { api_key: 'k3y-k3y', param: 'key' } }],
    ['an api key in a header', 'url: URL/from\nauth: api', { api: { api_key: 'k3y-k3y', header: 'X-Key' } }],
    ['headers of its own', 'url: URL/from\nheaders: { Authorization: k3y-k3y, Proxy-Authorization: k3y-k3y }', {}],
  ])('tells another origin nothing of %s', async (_, fields, keychain) => {
    const from = fields.replace('HOST', api.url.slice('http://'.length));
    api.answer = (_request, response) => response.writeHead(307, { location: `${other.url}/to` }).end();
    expect(await run(from, { keychain })).toMatchObject({ status: 'ok', result: { data: 'other' } });
    const { url, headers } = other.seen[0] ?? { url: '', headers: {} };
    expect(url).toBe('/to');
    expect(JSON.stringify(headers)).not.toMatch(/k3y|basic/i);
    expect(headers).not.toHaveProperty('referer');
  });

  it('does not follow where the task says so', async () => {
    redirect('/to');
    expect(await run('url: URL/from\nfollow_redirects: false')).toMatchObject({
      error: { kind: 'http.status' },
      result: { status: 302, data: 'moved', headers: { location: '/to' } },
    });
  });

  it.each([
    ['in a circle', '/from', /more than 10 redirects/],
    ['to something else', 'file:///etc/passwd', /no http address/],
  ])('refuses to be led %s', async (_, to, message) => {
    redirect(to);
    expect(await run('url: URL/from')).toMatchObject({
      error: { kind: 'http.redirect', message: expect.stringMatching(message) },
      http: { status: null },
    });
  });
});

describe('http: no answer', () => {
  it.each([
    ['nobody listens', 'url: http://127.0.0.1:1/', /nobody listens there/],
    ['there is no host', 'url: http://no-such-host.invalid/', /no such host|could not be looked up/],
  ])('says that %s', async (_, fields, message) => {
    expect(await run(fields)).toMatchObject({
      status: 'error',
      result: null,
      error: { kind: 'http.connect', retryable: true, message: expect.stringMatching(message) },
      http: { status: null, headers: {}, request_id: null },
    });
  });

  it('says that the connection broke', async () => {
    api.answer = (request) => request.socket.destroy();
    expect(await run('url: URL/')).toMatchObject({
      error: { kind: 'http.connect', retryable: true },
      http: { status: null },
    });
    api.answer = (request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('some');
      setTimeout(() => request.socket.destroy(), 20);
    };
    expect(await run('url: URL/')).toMatchObject({
      error: { kind: 'http.connect', message: expect.stringContaining('broke off in the middle') },
      http: { status: 200 },
    });
  });

  it('says that what answers is no HTTP', async () => {
    const server = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n\r\n'));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    expect(await run(`url: http://127.0.0.1:${port}/`)).toMatchObject({
      error: { kind: 'http.connect' },
      http: { status: null },
    });
    server.close();
  });

  it.skipIf(noOpenssl)('says what is wrong with a certificate, and does not try again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'noetl-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const request = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      '/CN=localhost',
      '-keyout',
      key,
      '-out',
      cert,
    ];
    execFileSync('openssl', request, { stdio: 'ignore' });
    const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) =>
      response.end(),
    );
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    expect(await run(`url: https://127.0.0.1:${port}/`)).toMatchObject({
      error: {
        kind: 'http.connect',
        retryable: false,
        message: expect.stringContaining('certificate is signed by itself'),
      },
      http: { status: null },
    });
    server.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['the attempt', 'timeout: 0.2', /longer than its timeout/],
    ['reading', 'timeout: { read: 0.2 }', /got no answer in time/],
  ])('keeps the timeout of %s', async (_, spec, message) => {
    api.answer = () => undefined;
    const began = Date.now();
    expect(await run(`url: URL/\nspec: { ${spec} }`)).toMatchObject({
      error: { kind: 'timeout', retryable: true, message: expect.stringMatching(message) },
      http: { status: null },
    });
    expect(Date.now() - began).toBeLessThan(20_000);
  });

  it('keeps the timeout of a connection, the handshake of TLS included', async () => {
    const server = createTcpServer(() => undefined);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const answer = await run(`url: https://127.0.0.1:${port}/\nspec: { timeout: { connect: 0.2, read: 60 } }`);
    expect(answer).toMatchObject({
      error: { kind: 'timeout', retryable: true, message: expect.stringContaining('got no connection in time') },
      http: { status: null },
    });
    server.close();
  });

  it('keeps the timeout of a body that stops coming', async () => {
    api.answer = (_, response) => {
      response.writeHead(200);
      response.write('some');
    };
    expect(await run('url: URL/\nspec: { timeout: { read: 0.2 } }')).toMatchObject({
      error: { kind: 'timeout', message: expect.stringContaining('no more of the answer') },
      http: { status: 200 },
    });
  });

  it('stops when it is cancelled, and closes its connection', async () => {
    const controller = new AbortController();
    const closed = new Promise<void>((resolve) => {
      api.answer = (request) => {
        request.socket.once('close', () => resolve());
        controller.abort(new Error('cancel'));
      };
    });
    expect(await run('url: URL/', { signal: controller.signal })).toMatchObject({
      error: { kind: 'cancelled', retryable: false },
      http: { status: null },
    });
    await closed;
  });

  it('sends many at once over few connections', async () => {
    json({ ok: true });
    const answers = await Promise.all(Array.from({ length: 500 }, (_, n) => run(`url: URL/${n}`)));
    expect(answers.every(({ status }) => status === 'ok')).toBe(true);
    const connections = await new Promise<number>((resolve) => api.server.getConnections((_, count) => resolve(count)));
    expect(connections).toBeLessThanOrEqual(128);
  });
});
