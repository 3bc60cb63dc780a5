import type { Instant } from '@noetl/engine';
import type { WorkerCard } from '../ports/work-exchange.ts';

/** A worker in a process of its own that has been heard of lately. */
interface KnownWorker extends WorkerCard {
  /** Since when it is known to this server. */
  readonly since: Instant;
  readonly seen: Instant;
  readonly drains: boolean;
}

/** The workers that a server has heard of since it was started: they introduce themselves again and again. */
export interface KnownWorkers {
  see(card: WorkerCard, now: Instant): KnownWorker;
  list(): readonly KnownWorker[];
  has(name: string): boolean;
  /** The worker is told with its next heartbeat; false if nobody of that name is there. */
  drain(name: string): boolean;
  leave(name: string): void;
  /** Those that were not heard of since; they are not known any more. */
  silentSince(instant: Instant): readonly string[];
}

export function createKnownWorkers(): KnownWorkers {
  const workers = new Map<string, KnownWorker>();
  return {
    see(card, now) {
      const before = workers.get(card.name);
      const seen = { ...card, since: before?.since ?? now, seen: now, drains: before?.drains ?? false };
      workers.set(card.name, seen);
      return seen;
    },
    list: () => [...workers.values()],
    has: (name) => workers.has(name),
    drain(name) {
      const worker = workers.get(name);
      if (worker !== undefined) workers.set(name, { ...worker, drains: true });
      return worker !== undefined;
    },
    leave: (name) => {
      workers.delete(name);
    },
    silentSince(instant) {
      const silent = [...workers.values()].filter(({ seen }) => seen < instant).map(({ name }) => name);
      for (const name of silent) workers.delete(name);
      return silent;
    },
  };
}
