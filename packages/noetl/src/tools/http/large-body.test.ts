import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Json } from '@noetl/playbook';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolAnswer } from '../define-tool.ts';
import { toolsUnderTest } from '../task-call.testing.ts';

const HELD = 1_000;
const LIMIT = 600_000;
const under = toolsUnderTest({ heldBytes: HELD, responseBytes: LIMIT });
let answer: (response: ServerResponse) => void = (response) => response.end();
const server = createServer((_, response) => answer(response));
let url = '';

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  await under.tools.close();
  server.close();
});

const get = (more = ''): Promise<ToolAnswer> => under.run(`kind: http\nurl: "${url}"\n${more}`);

function answering(
  body: string | Buffer,
  type: string,
  { status = 200, ...headers }: Record<string, string | number> = {},
) {
  answer = (response) => {
    response.writeHead(Number(status), { 'content-type': type, ...headers });
    response.end(body);
  };
}

/** What was kept apart, with the place where it belongs. */
async function keptOf({ kept = [] }: ToolAnswer): Promise<readonly (readonly [path: string, value: Json])[]> {
  return Promise.all(
    kept.map(async ({ path, reference }) => {
      const fetched = await under.results.get(reference);
      return [path.join('.'), fetched.kind === 'value' ? fetched.value : fetched.kind] as const;
    }),
  );
}

describe('an answer that is larger than memory may hold', () => {
  const rows = Array.from({ length: 5_000 }, (_, id) => ({ id, name: `ärger ${id}`, $noetl: 'reference' }));
  const stored = rows.map(({ id, name }) => ({ id, name, $$noetl: 'reference' }));

  it.each([
    ['as it is', {}, JSON.stringify(rows, undefined, 1)],
    ['packed', { 'content-encoding': 'gzip' }, gzipSync(JSON.stringify(rows))],
    ['with a mark of its byte order', {}, `\uFEFF${JSON.stringify(rows)}`],
  ])('is kept apart as the JSON that it is: %s', async (_, headers, body) => {
    answering(body, 'application/json', headers);
    const given = await get();
    expect(given).toMatchObject({ status: 'ok', result: { status: 200, data: null } });
    expect(await keptOf(given)).toEqual([['data', stored]]);
  });

  it('is kept apart as text in its own characters, and as bytes', async () => {
    const text = 'größer als erlaubt, '.repeat(1_000);
    answering(Buffer.from(text, 'latin1'), 'text/plain; charset=latin1');
    expect(await keptOf(await get())).toEqual([['data', text]]);
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251));
    answering(bytes, 'application/octet-stream');
    const binary = await get();
    expect(binary.result).toMatchObject({ data: { base64: null, size: bytes.length } });
    expect(await keptOf(binary)).toEqual([['data.base64', bytes.toString('base64')]]);
  });

  it('of an error is kept too', async () => {
    answering(JSON.stringify(rows), 'application/json', { status: 503 });
    const given = await get();
    expect(given.error).toMatchObject({ kind: 'http.status', retryable: true });
    expect(await keptOf(given)).toEqual([['data', stored]]);
  });

  it('that is no JSON is an error that says why', async () => {
    answering(`[${'1,'.repeat(5_000)}`, 'application/json');
    expect((await get()).error).toMatchObject({
      kind: 'http.body',
      message: expect.stringContaining('is no JSON that can be kept: it ends in the middle.'),
    });
  });

  it('that breaks off, or is over the limit, is an error, and nothing is kept', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('x'.repeat(HELD * 3), () => response.destroy());
    };
    const broken = await get();
    expect(broken).toMatchObject({ status: 'error', error: { kind: 'http.connect', retryable: true } });
    expect(broken.kept).toBeUndefined();
    answering('x'.repeat(LIMIT + 1), 'text/plain', { 'transfer-encoding': 'chunked' });
    expect((await get()).error).toMatchObject({ kind: 'http.size' });
  });
});
