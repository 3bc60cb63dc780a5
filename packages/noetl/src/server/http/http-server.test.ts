import { afterEach, describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../ports/virtual-clock.testing.ts';
import { FOLDER_OWNER } from './access.ts';
import { type HttpServer, openHttpServer } from './http-server.ts';

describe('a server of requests', () => {
  let http: HttpServer | undefined;
  afterEach(() => http?.close(1_000));

  it('waits a minute for the head of a request, and an hour for a large result over a slow line', async () => {
    http = await openHttpServer({
      routes: [],
      access: { callerOf: async () => FOLDER_OWNER },
      names: { hosts: undefined, origins: new Set() },
      rate: { take: () => 0 },
      strangers: { take: () => 0 },
      clock: createVirtualClock(),
      audit: () => undefined,
      answered: () => undefined,
      failed: () => undefined,
    });
    await http.listen('127.0.0.1', 0);
    const { headersTimeout, requestTimeout } = http.app.server;
    expect([headersTimeout, requestTimeout]).toEqual([60_000, 3_600_000]);
  });
});
