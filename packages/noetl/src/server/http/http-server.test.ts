import { get, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../ports/virtual-clock.testing.ts';
import { FOLDER_OWNER } from './access.ts';
import { type HttpServer, openHttpServer } from './http-server.ts';
import { defineRoute, type Route } from './route.ts';

describe('a server of requests', () => {
  let http: HttpServer | undefined;
  afterEach(() => http?.close(1_000));

  const opened = (routes: readonly Route[]): Promise<HttpServer> =>
    openHttpServer({
      routes,
      access: { callerOf: async () => FOLDER_OWNER },
      names: { hosts: undefined, origins: new Set() },
      rate: { take: () => 0 },
      strangers: { take: () => 0 },
      clock: createVirtualClock(),
      audit: () => undefined,
      answered: () => undefined,
      failed: () => undefined,
    });

  it('makes no more of an answer than who asked reads', async () => {
    const piece = 'x'.repeat(8 * 1024 * 1024);
    let made = 0;
    const endless = async function* () {
      for (;;) {
        made += 1;
        yield piece;
      }
    };
    http = await opened([
      defineRoute({
        method: 'GET',
        path: '/api/endless',
        permission: 'public',
        tag: 'server',
        summary: 'never ends',
        answer: 'text/plain',
        handle: async () => ({ stream: endless(), type: 'text/plain' }),
      }),
    ]);
    const port = await http.listen('127.0.0.1', 0);
    const asked = get({ port, path: '/api/endless', agent: false });
    const answer = await new Promise<IncomingMessage>((resolve) => asked.once('response', resolve));
    answer.pause();
    await expect.poll(() => made, { timeout: 20_000 }).toBeGreaterThan(1);
    await pause(200);
    expect(made).toBeLessThan(8);
    asked.destroy();
  });

  it('waits a minute for the head of a request, and an hour for a large result over a slow line', async () => {
    http = await opened([]);
    await http.listen('127.0.0.1', 0);
    const { headersTimeout, requestTimeout } = http.app.server;
    expect([headersTimeout, requestTimeout]).toEqual([60_000, 3_600_000]);
  });
});
