import { parentPort, workerData } from 'node:worker_threads';
import type { LeaseTicket } from '../ports/work-exchange.ts';
import type { HeartbeatMessage, HeartbeatOrder, HeartbeatThreadData } from './heartbeats-in-thread.ts';
import { openServerCalls } from './server-calls.ts';

// Heartbeats on a connection of their own: what the main thread is busy with must not cost it its leases.

const { address, card, beat } = workerData as HeartbeatThreadData;
const held = new Map<string, LeaseTicket>();
const calls = await openServerCalls(address, 1);
/** A beat that is not answered for so many is lost: the next goes on another connection, well before a lease is. */
const LATE_BEATS = 2;
const say = (message: HeartbeatMessage): void => parentPort?.postMessage(message);

async function turn(): Promise<void> {
  const leases = [...held.values()];
  const answer = (await calls.ask('heartbeat', { worker: card, leases }, LATE_BEATS * beat)) as {
    readonly gone: readonly number[];
    readonly drain: boolean;
  };
  for (const nth of answer.gone) {
    const lease = leases[nth];
    if (lease !== undefined && held.delete(lease.capability)) say({ kind: 'gone', lease });
  }
  if (answer.drain) say({ kind: 'drain' });
}

let next: NodeJS.Timeout | undefined;
let closed = false;
const go = (): void => {
  // A server that is away is asked again with the next beat.
  void turn()
    .catch(() => undefined)
    .finally(() => {
      if (!closed) next = setTimeout(go, beat);
    });
};
go();

parentPort?.on('message', (order: HeartbeatOrder) => {
  if (order.kind === 'leases') {
    for (const lease of order.held) held.set(lease.capability, lease);
    for (const capability of order.dropped) held.delete(capability);
  } else {
    closed = true;
    clearTimeout(next);
    parentPort?.close();
    void calls.close();
  }
});
