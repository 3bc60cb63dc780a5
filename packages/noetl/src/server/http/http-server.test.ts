import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ANYONE_HERE } from './access.ts';
import { type HttpServer, openHttpServer } from './http-server.ts';
import { createRateLimit } from './rate-limit.ts';
import { defineRoute, type Route } from './route.ts';

/** Never ends, whoever goes away or stops. */
async function* endless(): AsyncGenerator<string> {
  for (;;) yield 'x'.repeat(65_536);
}

const ENDLESS = defineRoute({
  method: 'GET',
  path: '/endless',
  permission: 'public',
  tag: 'test',
  summary: 'more than anybody reads',
  answer: 'text/plain',
  handle: async () => ({ stream: endless(), type: 'text/plain' }),
});

describe('the server of routes', { timeout: 60_000 }, () => {
  let server: HttpServer;
  afterEach(() => server.close(0));

  async function serving(routes: readonly Route[]): Promise<number> {
    server = await openHttpServer({
      routes,
      access: { callerOf: async () => ANYONE_HERE },
      names: { hosts: undefined, origins: new Set() },
      rate: createRateLimit(0, () => 0),
      audit: () => undefined,
      answered: () => undefined,
      failed: () => undefined,
    });
    return server.listen('127.0.0.1', 0);
  }

  it('ends also if somebody does not read what is sent', async () => {
    const port = await serving([ENDLESS]);
    const reader = connect(port, '127.0.0.1');
    reader.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(reader, 'readable');
    await server.close(50);
    reader.resume();
    await once(reader, 'close');
    expect(reader.destroyed).toBe(true);
  });
});
