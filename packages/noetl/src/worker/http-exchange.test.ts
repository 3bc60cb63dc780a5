import { getEventListeners, once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../ports/clock.ts';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import type { LeaseTicket } from '../ports/work-exchange.ts';
import { exchangeByCalls, openHttpExchange } from './http-exchange.ts';
import { ServerAway, type ServerCalls } from './server-calls.ts';

const LEASE: LeaseTicket = { execution: 'x', work: '1', epoch: 1, worker: 'w', capability: 'c' };
const realClock: Clock = {
  now: () => Date.now(),
  at: (instant, action) => {
    const timer = setTimeout(action, instant - Date.now());
    return () => clearTimeout(timer);
  },
};

describe('a connection that is dead without saying so', { timeout: 30_000 }, () => {
  const sockets = new Set<Socket>();
  const servers: ReturnType<typeof createServer>[] = [];
  const stop = new AbortController();
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });

  async function listening(server: ReturnType<typeof createServer> | Server): Promise<string> {
    servers.push(server);
    server.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  }

  const exchangeWith = (url: string, clock = realClock) =>
    openHttpExchange({ url, token: undefined, clock, wait: 2_000, connections: 1, giveUp: stop.signal, silence: 100 });

  it('costs a claim little: work must not wait for who waits for it', async () => {
    const silent = createServer();
    const url = await listening(silent);
    const clock = createVirtualClock();
    const exchange = await exchangeWith(url, clock);
    const card = { name: 'w', pool: 'default', labels: {}, slots: 1, host: 'h', pid: 1 };
    const claimed = exchange.claim(card, 1, stop.signal).catch((error) => error);
    await once(silent, 'connection');
    clock.advanceTo(4_000);
    expect(await claimed).toBeInstanceOf(ServerAway);
    await exchange.close();
  });

  /** Answers whoever asks on another connection than the first, and what it was asked. */
  async function deafAtFirst(answer: (request: IncomingMessage, response: ServerResponse) => void) {
    let first: Socket | undefined;
    const asked: string[] = [];
    const server = createHttpServer((request, response) => {
      asked.push(request.url ?? '');
      first ??= request.socket;
      if (request.socket !== first) answer(request, response);
    });
    return { exchange: await exchangeWith(await listening(server)), asked };
  }

  it('delays a report: it is told again, on another one, with its number', async () => {
    const bodies: string[] = [];
    const { exchange, asked } = await deafAtFirst(async (request, response) => {
      for await (const piece of request) bodies.push(String(piece));
      response.end('{"answers":["taken"]}');
    });
    expect(await exchange.report([{ lease: LEASE, nth: 7, events: [] }])).toEqual(['taken']);
    expect(asked).toEqual(['/api/work/report', '/api/work/report']);
    expect(JSON.parse(bodies.join(''))).toMatchObject({ reports: [{ nth: 7 }] });
    await exchange.close();
  });

  it('delays what is asked for, also where the answer has begun', async () => {
    const { exchange } = await deafAtFirst((_request, response) => response.end('{"text":"a playbook"}'));
    expect(await exchange.playbook(LEASE)).toBe('a playbook');
    await exchange.close();
    let times = 0;
    const cut = createHttpServer((_request, response) => {
      times += 1;
      response.writeHead(200, { 'content-length': '14' });
      if (times === 1) response.write('{"text":');
      else response.end('{"text":"all"}');
    });
    const other = await exchangeWith(await listening(cut));
    expect(await other.playbook(LEASE)).toBe('all');
    await other.close();
  });
});

it('claims leave nothing on the signal of a worker, which lives as long as the worker', async () => {
  const calls = { ask: async () => ({ parts: [], work: [] }) } as Partial<ServerCalls> as ServerCalls;
  const { signal } = new AbortController();
  const options = { url: 'http://h', clock: createVirtualClock(), wait: 1_000, giveUp: signal };
  const { claim } = exchangeByCalls(calls, options);
  const card = { name: 'w', pool: 'default', labels: {}, slots: 1, host: 'h', pid: 1 };
  for (let nth = 0; nth < 5; nth++) expect(await claim(card, 1, signal)).toEqual([]);
  const sizes = Reflect.ownKeys(signal).map((key) => Reflect.get(signal, key)?.size ?? 0);
  expect(Math.max(...sizes)).toBe(0);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
