import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toolsUnderTest } from '../task-call.testing.ts';
import { type Api, openApi } from './local-api.testing.ts';

const under = toolsUnderTest();
const folder = mkdtempSync(join(tmpdir(), 'noetl-upload-'));
let api: Api;

beforeAll(async () => {
  api = await openApi();
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data/rows.csv'), 'a,b\n1,2\n');
  writeFileSync(join(folder, 'data/empty'), '');
});
beforeEach(() => {
  api.seen.length = 0;
  api.answer = (_, response) => response.end('{}');
});
afterAll(async () => {
  await under.tools.close();
  api.server.close();
  rmSync(folder, { recursive: true });
});

const run = (fields: string, given = {}) =>
  under.run(`kind: http\nmethod: POST\nurl: ${api.url}/from\n${fields}`, { folder, ...given });

/** The parts of what was sent, as another implementation reads them. */
async function parts(n = 0) {
  const { bytes, headers } = api.seen[n] ?? { bytes: Buffer.alloc(0), headers: {} };
  expect(headers['content-length']).toBe(String(bytes.length));
  const type = headers['content-type'] ?? '';
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  return Promise.all(
    [...form].map(async ([name, value]) =>
      typeof value === 'string'
        ? [name, value]
        : [name, value.name, value.type, Buffer.from(await value.arrayBuffer()).toString('latin1')],
    ),
  );
}

describe('files of http', () => {
  it('are sent as a multipart form: files, texts, bytes and fields', async () => {
    const answer = await run(
      `files:
  rows: data/rows.csv
  named: { path: "{{ workload.file }}", filename: "zwei.csv", type: text/csv }
  inline: { filename: note.txt, content: "ä {{ workload.v }}", type: text/plain }
  bytes: { filename: raw.bin, base64: /wD+ }
  title: { content: "a field" }
  number: { content: 5 }
  several: [data/empty, { filename: b, content: "" }]`,
      { workload: { file: 'data/rows.csv', v: 'x' } },
    );
    expect(answer).toMatchObject({ status: 'ok' });
    expect(await parts()).toEqual([
      ['rows', 'rows.csv', 'application/octet-stream', 'a,b\n1,2\n'],
      ['named', 'zwei.csv', 'text/csv', 'a,b\n1,2\n'],
      ['inline', 'note.txt', 'text/plain', Buffer.from('ä x').toString('latin1')],
      ['bytes', 'raw.bin', 'application/octet-stream', '\xff\0\xfe'],
      ['title', 'a field'],
      ['number', '5'],
      ['several', 'empty', 'application/octet-stream', ''],
      ['several', 'b', 'application/octet-stream', ''],
    ]);
  });

  it('cannot write anything into the headers of a part', async () => {
    const evil = 'a"\r\nX-Evil: 1\r\n\r\nb';
    await run('files: { f: { filename: "{{ workload.evil }}", content: x } }', { workload: { evil } });
    expect(api.seen[0]?.body).toContain('filename="a%22%0D%0AX-Evil: 1%0D%0A%0D%0Ab"');
    expect(await parts()).toHaveLength(1);
  });

  it.each([307, 302])('are sent again after a %i, or not at all', async (status) => {
    api.answer = (request, response) => {
      response.writeHead(request.url === '/from' ? status : 200, { location: '/to' });
      response.end();
    };
    expect(await run('files: { rows: data/rows.csv }')).toMatchObject({ status: 'ok' });
    expect(api.seen).toHaveLength(2);
    if (status === 307) expect(await parts(1)).toEqual(await parts(0));
    else {
      expect(api.seen[1]).toMatchObject({ method: 'GET', body: '' });
      expect(api.seen[1]?.headers).not.toHaveProperty('content-type');
    }
  });

  it('are never in memory as a whole', { timeout: 60_000 }, async () => {
    const size = 300 * 1024 * 1024;
    const [piece, digest] = [Buffer.alloc(1024 * 1024, 'x'), createHash('sha256')];
    const file = openSync(join(folder, 'large'), 'w');
    for (let written = 0; written < size; written += piece.length) writeSync(file, piece);
    closeSync(file);
    let received = 0;
    const server = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => {
        received += chunk.length;
        digest.update(chunk);
      });
      request.on('end', () => response.end('done'));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const before = process.memoryUsage().rss;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss - before);
    }, 5);
    const answer = await under.run(`kind: http\nmethod: PUT\nurl: http://127.0.0.1:${port}/\nfiles: { large: large }`, {
      folder,
    });
    clearInterval(watch);
    server.close();
    expect(answer).toMatchObject({ status: 'ok', result: { data: 'done' } });
    expect(received).toBeGreaterThan(size);
    expect(most).toBeLessThan(150 * 1024 * 1024);
  });

  it.each([
    [
      'a file that is not there',
      'files: { f: nowhere.csv }',
      /has under 'f' '.*nowhere\.csv', and there is no such file/,
    ],
    ['a folder', 'files: { f: data }', /has under 'f' '.*data', which is no file/],
    ['a list', 'files: [a]', /is no mapping of names to files/],
    ['a number', 'files: { f: 5 }', /has under 'f' neither a path nor a mapping/],
    ['an unknown key', 'files: { f: { file: a } }', /the key 'file', expected one of path, content/],
    ['two sources', 'files: { f: { path: a, content: b } }', /not exactly one of path, content, base64/],
    ['no source', 'files: { f: { filename: a } }', /not exactly one of/],
    ['something that is no base64', 'files: { f: { base64: "?" } }', /under base64 that is none/],
    ['a type with a line break', 'files: { f: { content: a, type: "a\\nb" } }', /a type that is none/],
    [
      'a type of the whole',
      'headers: { content-type: multipart/form-data }\nfiles: { f: data/empty }',
      /has a Content-Type, which 'files' sets itself/,
    ],
  ])('may not be %s', async (_, fields, message) => {
    expect(await run(fields)).toMatchObject({
      error: { kind: 'task.field', retryable: false, message: expect.stringMatching(message) },
      http: { status: null },
    });
    expect(api.seen).toEqual([]);
  });
});
