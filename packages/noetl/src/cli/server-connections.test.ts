import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Access, ANYONE_HERE } from '../server/http/access.ts';
import { type HttpServer, openHttpServer } from '../server/http/http-server.ts';
import { createRateLimit } from '../server/http/rate-limit.ts';
import { defineRoute, type Route } from '../server/http/route.ts';
import { systemClock } from './system-clock.ts';

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

/** Says that it has begun, and ends when it is told to. */
const LIVE = defineRoute({
  method: 'GET',
  path: '/live',
  permission: 'read',
  tag: 'test',
  summary: 'as long as it may',
  answer: 'text/plain',
  handle: async ({ signal }) => ({ stream: until(signal), type: 'text/plain' }),
});

const SHORT = defineRoute({
  method: 'GET',
  path: '/short',
  permission: 'read',
  tag: 'test',
  summary: 'a word',
  answer: 'text/plain',
  handle: async () => ({ text: 'a word', type: 'text/plain' }),
});

async function* until(signal: AbortSignal): AsyncGenerator<string> {
  yield 'begun, ';
  if (!signal.aborted) await once(signal, 'abort');
  yield 'ended';
}

describe('a server and those who are connected to it', { timeout: 60_000 }, () => {
  let server: HttpServer;
  afterEach(() => server.close(0));

  async function serving(routes: readonly Route[], callerOf: Access['callerOf'] = async () => ANYONE_HERE) {
    server = await openHttpServer({
      routes,
      access: { callerOf },
      clock: systemClock,
      names: { hosts: undefined, origins: new Set() },
      rate: createRateLimit(0, () => 0),
      strangers: createRateLimit(10, () => 0),
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

  it('lets nobody guess tokens as fast as it likes, and hears those who have one (SEC-4)', async () => {
    const known: Access['callerOf'] = async (shown) => (shown === 'Bearer t' ? ANYONE_HERE : { refused: 'unknown' });
    const port = await serving([SHORT], known);
    const asked = async (token: string) =>
      (await fetch(`http://127.0.0.1:${port}/short`, { headers: { authorization: `Bearer ${token}` } })).status;
    const guesses = Array.from({ length: 60 }, (_, nth) => asked(`guess${nth}`));
    const answers = await Promise.all(guesses);
    expect(answers.filter((status) => status === 401)).toHaveLength(50);
    expect(answers.filter((status) => status === 429)).toHaveLength(10);
    expect(await asked('t')).toBe(200);
  });

  it('ends what it sends to a token that is revoked meanwhile (SEC-4)', async () => {
    let revoked = false;
    const port = await serving([LIVE], async () => (revoked ? { refused: 'it was revoked' } : ANYONE_HERE));
    const answer = await fetch(`http://127.0.0.1:${port}/live`);
    revoked = true;
    expect(await answer.text()).toBe('begun, ended');
    expect((await fetch(`http://127.0.0.1:${port}/live`)).status).toBe(401);
  });
});
