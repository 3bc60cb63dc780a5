import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toolsUnderTest } from '../task-call.testing.ts';
import { type Api, openApi } from './local-api.testing.ts';

const LIMIT = 100_000;
const under = toolsUnderTest({ responseBytes: LIMIT });
let api: Api;

beforeAll(async () => {
  api = await openApi();
});
afterAll(async () => {
  await under.tools.close();
  api.server.close();
});

function answered(body: Buffer, encoding: string, more = '', status = 200, headers = {}) {
  api.answer = (_, response) => {
    response.writeHead(status, { 'content-type': 'text/plain', 'content-encoding': encoding, ...headers });
    response.end(body);
  };
  return under.run(`kind: http\nurl: ${api.url}/\n${more}`);
}

describe('packed bodies', () => {
  it.each([
    ['gzip', gzipSync('text')],
    ['GZIP', gzipSync('text')],
    ['x-gzip', gzipSync('text')],
    ['deflate', deflateSync('text')],
    ['br', brotliCompressSync('text')],
    ['identity', Buffer.from('text')],
    ['gzip, br', brotliCompressSync(gzipSync('text'))],
    ['gzip , identity,deflate,  br', brotliCompressSync(deflateSync(gzipSync('text')))],
  ])('are unpacked, the last layer first: %s', async (encoding, body) => {
    expect(await answered(body, encoding)).toMatchObject({ status: 'ok', result: { data: 'text' } });
  });

  const zeros = Buffer.alloc(50_000_000);
  /** A gzip of many bytes that unpacks to none: blocks without content. */
  const nothing = gzipSync(
    Buffer.concat([gzipSync('').subarray(0, 10), Buffer.alloc(50_000_000, '000000ffff', 'hex')]),
  );
  it.each([
    ['once', 'gzip', gzipSync(zeros)],
    ['by brotli', 'br', brotliCompressSync(zeros)],
    ['twice', 'gzip, gzip', gzipSync(gzipSync(zeros))],
    ['in between', 'gzip, gzip', nothing],
    ['without end', 'gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(zeros)))],
  ])('are given up when they become too large: %s', async (_, encoding, body) => {
    expect(body.length).toBeLessThan(LIMIT);
    expect(await answered(body, encoding)).toMatchObject({
      error: { kind: 'http.size', retryable: false },
      http: { status: 200 },
    });
  });

  it('are given up when they become hundreds of times as large, also within the limit', async () => {
    const wide = toolsUnderTest();
    const packed = gzipSync(Buffer.alloc(100_000_000));
    api.answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    expect(await wide.run(`kind: http\nurl: ${api.url}/`)).toMatchObject({
      error: { kind: 'http.body', message: expect.stringContaining('unpacks to more than 200 times its size') },
    });
    await wide.tools.close();
  });

  it.each([
    ['zstd', 'is packed as "zstd", which was not asked for'],
    ['gzip, gzip, gzip, gzip', 'is packed 4 times over'],
    ['gzip', 'cannot be unpacked'],
    ['br', 'cannot be unpacked'],
  ])('are an error if nobody can unpack them: %s', async (encoding, message) => {
    expect(await answered(Buffer.from([0xff, 0xfe, 0xfd, 0xfc]), encoding)).toMatchObject({
      error: { kind: 'http.body', message: expect.stringContaining(message) },
      http: { status: 200 },
    });
  });

  it.each([
    ['HEAD', 'method: HEAD', 200, { 'content-length': '99999999' }],
    ['204', '', 204, {}],
    ['a length of 0', '', 200, { 'content-length': '0' }],
  ])('are nothing where there is nothing: %s', async (_, more, status, headers) => {
    expect(await answered(Buffer.alloc(0), 'gzip', more, status, headers)).toMatchObject({
      status: 'ok',
      result: { status, data: expect.toBeOneOf(['', null]) },
    });
  });
});
