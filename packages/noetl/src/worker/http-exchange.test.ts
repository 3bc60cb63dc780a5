import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import { openHttpExchange } from './http-exchange.ts';
import { ServerAway } from './server-calls.ts';

describe('a claim over a connection that is dead without saying so', () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('is given up soon after it could be answered: work must not wait for who waits for it', async () => {
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    const clock = createVirtualClock();
    const stop = new AbortController();
    const exchange = await openHttpExchange({
      url: `http://127.0.0.1:${port}`,
      token: undefined,
      clock,
      wait: 2_000,
      connections: 1,
      giveUp: stop.signal,
    });
    const card = { name: 'w', pool: 'default', labels: {}, slots: 1, host: 'h', pid: 1 };
    const claimed = exchange.claim(card, 1, stop.signal).catch((error) => error);
    await once(silent, 'connection');
    clock.advanceTo(4_000);
    expect(await claimed).toBeInstanceOf(ServerAway);
    await exchange.close();
  });
});
