import type { LeaseTicket, WorkerCard } from '../ports/work-exchange.ts';
import { startThread } from '../start-thread.ts';
import { BEAT, type HeartbeatEars, type Heartbeats } from './heartbeats.ts';
import type { ServerAddress } from './server-calls.ts';

export interface HeartbeatThreadData {
  readonly address: ServerAddress;
  readonly card: WorkerCard;
  readonly beat: number;
}

/** What the thread is told: which leases to go on with and which not, in this order. */
export type HeartbeatOrder =
  | { readonly kind: 'leases'; readonly held: readonly LeaseTicket[]; readonly dropped: readonly string[] }
  | { readonly kind: 'close' };

/** What it tells. */
export type HeartbeatMessage = { readonly kind: 'gone'; readonly lease: LeaseTicket } | { readonly kind: 'drain' };

/** DESIGN §4: heartbeats run on their own thread, with their own connection. */
export function heartbeatsInThread(address: ServerAddress, card: WorkerCard, ears: HeartbeatEars): Heartbeats {
  const data: HeartbeatThreadData = { address, card, beat: BEAT };
  const thread = startThread(new URL('./heartbeat-thread.ts', import.meta.url), data);
  const order = (message: HeartbeatOrder): void => thread.postMessage(message);
  thread.on('message', (message: HeartbeatMessage) => {
    if (message.kind === 'gone') ears.gone(message.lease);
    else ears.drain();
  });
  // Without heartbeats every lease would be lost: the worker ends, and its work goes on elsewhere.
  thread.on('error', ears.drain);
  let held: LeaseTicket[] = [];
  let dropped: string[] = [];
  /** Leases come and go together: each order would wake the thread. */
  const tell = (): void => {
    if (held.length === 0 && dropped.length === 0) return;
    order({ kind: 'leases', held, dropped });
    [held, dropped] = [[], []];
  };
  return {
    hold(lease) {
      // Before the work begins, which may keep this thread busy.
      if (held.push(lease) === 1) queueMicrotask(tell);
    },
    drop({ capability }) {
      if (dropped.push(capability) === 1) setImmediate(tell);
    },
    async close() {
      const ended = new Promise((resolve) => thread.once('exit', resolve));
      order({ kind: 'close' });
      await ended;
    },
  };
}
