import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerUnderTest, serverUnderTest } from './server-under-test.testing.ts';

describe('a server that is sent what it cannot read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'noetl-unreadable-'));
  let server: ServerUnderTest;
  beforeAll(async () => {
    server = await serverUnderTest(join(folder, 'data'));
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  /** Everything that is answered to these bytes. */
  const answered = (sent: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let text = '';
      const socket = connect({ port: server.port, host: '127.0.0.1' }, () => socket.write(sent));
      socket.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      socket.on('end', () => resolve(text)).on('error', reject);
    });
  const HOST = 'Host: localhost\r\nConnection: close\r\n';

  it.each([
    ['no HTTP', 'HELLO\r\n\r\n', 400, 'NOETL_API_REQUEST'],
    ['a method that there is not', `FOO /api/health HTTP/1.1\r\n${HOST}\r\n`, 400, 'NOETL_API_REQUEST'],
    ['a broken escape', `GET /api/executions/%ff HTTP/1.1\r\n${HOST}\r\n`, 400, 'NOETL_API_REQUEST'],
    ['a large head', `GET / HTTP/1.1\r\n${HOST}X: ${'x'.repeat(20_000)}\r\n\r\n`, 413, 'NOETL_API_TOO_LARGE'],
    [
      'a length that is none',
      `POST /api/catalog HTTP/1.1\r\n${HOST}Content-Length: -1\r\n\r\n`,
      400,
      'NOETL_API_REQUEST',
    ],
  ])('answers %s with a problem', async (_, sent, status, code) => {
    const [head = '', body = ''] = (await answered(sent)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head.toLowerCase()).toContain('content-type: application/problem+json');
    expect(JSON.parse(body)).toMatchObject({ status, code, type: `urn:noetl:error:${code}` });
  });

  it('takes an expectation that it does not know for none', async () => {
    const answer = await answered(`GET /api/health HTTP/1.1\r\n${HOST}Expect: something\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  });

  it('does not complain of a request that is not sent to its end', async () => {
    const head = `POST /api/catalog HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
    await new Promise<void>((closed) => {
      const socket = connect({ port: server.port, host: '127.0.0.1' }, () => socket.end(head));
      socket.resume().on('close', () => closed());
    });
    expect((await server.get('/api/health')).status).toBe(200);
    expect(server.complaints()).toBe('');
  });
});
