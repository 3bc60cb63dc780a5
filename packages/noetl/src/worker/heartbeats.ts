import type { Clock } from '../ports/clock.ts';
import type { LeaseTicket, WorkExchange, WorkerCard } from '../ports/work-exchange.ts';
import { repeatedly } from '../repeatedly.ts';

/** Says again and again that a worker lives, and which leases it goes on with. */
export interface Heartbeats {
  hold(lease: LeaseTicket): void;
  drop(lease: LeaseTicket): void;
  close(): Promise<void>;
}

/** What a worker is told with its heartbeats. */
export interface HeartbeatEars {
  gone(lease: LeaseTicket): void;
  /** Somebody wants the worker to end. */
  drain(): void;
}

/** How often, in milliseconds: what is cancelled is told with the next one. */
export const BEAT = 1_000;

/** Heartbeats by the clock of the worker itself. A worker that runs tools has them in a thread of their own. */
export function heartbeatsByClock(
  exchange: Pick<WorkExchange, 'heartbeat'>,
  card: WorkerCard,
  clock: Clock,
  ears: HeartbeatEars,
): Heartbeats {
  const held = new Map<string, LeaseTicket>();
  const close = repeatedly(clock, BEAT, async () => {
    const leases = [...held.values()];
    const { gone, drain } = await exchange.heartbeat(card, leases);
    for (const nth of gone) {
      const lease = leases[nth];
      if (lease !== undefined && held.delete(lease.capability)) ears.gone(lease);
    }
    if (drain) ears.drain();
  });
  return {
    hold: (lease) => {
      held.set(lease.capability, lease);
    },
    drop: (lease) => {
      held.delete(lease.capability);
    },
    close,
  };
}
