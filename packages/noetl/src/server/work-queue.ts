import { type Work, workKey } from '@noetl/engine';

/** Work that may be leased, oldest first. It is a cache: what the log says is ready can always be put in again. */
export interface WorkQueue {
  /** Puts work in, unless it is there already. */
  add(work: QueuedWork): void;
  /**
   * Takes out up to `max`, waiting until there is some; none once the signal is aborted. Where several wait for work of a
   * pool, each gets its share.
   */
  take(max: number, signal: AbortSignal, taker?: Taker): Promise<readonly QueuedWork[]>;
  /** How much waits, by pool. */
  waiting(): ReadonlyMap<string, number>;
}

/** Who takes work. */
export interface Taker {
  serves(pool: string): boolean;
  /** Whether the work may be done there; asked in order, and what may is taken. */
  mayTake(work: QueuedWork): boolean;
}

export interface QueuedWork {
  readonly execution: string;
  readonly work: Work;
  readonly step: string;
  /** As the step names it. */
  readonly pool: string;
}

const ANYBODY: Taker = { serves: () => true, mayTake: () => true };

/** Is told how long work has waited when it is taken, in milliseconds. */
export interface QueueWatch {
  now(): number;
  claimed(waited: number): void;
}

interface Waiting extends QueuedWork {
  readonly since: number;
}

export function createWorkQueue(watch?: QueueWatch): WorkQueue {
  /** By pool, then by execution and work. */
  const pools = new Map<string, Map<string, Waiting>>();
  const takers = new Set<Taker>();
  const bells = new Set<() => void>();

  const rung = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const bell = (): void => {
        signal.removeEventListener('abort', bell);
        bells.delete(bell);
        resolve();
      };
      bells.add(bell);
      signal.addEventListener('abort', bell, { once: true });
    });

  function takenBy(taker: Taker, max: number): readonly QueuedWork[] {
    const taken: QueuedWork[] = [];
    for (const [pool, queued] of pools) {
      if (taken.length >= max) break;
      if (queued.size === 0 || !taker.serves(pool)) continue;
      const most = Math.min(max, taken.length + shareOf(pool, queued.size));
      for (const [key, work] of queued) {
        if (taken.length >= most) break;
        if (!taker.mayTake(work)) continue;
        queued.delete(key);
        taken.push(work);
        watch?.claimed(watch.now() - work.since);
      }
    }
    return taken;
  }

  function shareOf(pool: string, size: number): number {
    if (takers.size <= 1) return size;
    let rivals = 0;
    for (const { serves } of takers) if (serves(pool)) rivals += 1;
    return Math.ceil(size / Math.max(rivals, 1));
  }

  return {
    add(queued) {
      const { execution, work, pool } = queued;
      const waiting = pools.get(pool) ?? new Map<string, Waiting>();
      const key = `${execution} ${workKey(work)}`;
      const since = waiting.get(key)?.since ?? watch?.now() ?? 0;
      pools.set(pool, waiting.set(key, { ...queued, since }));
      for (const bell of bells) bell();
    },
    async take(max, signal, taker = ANYBODY) {
      takers.add(taker);
      try {
        while (!signal.aborted) {
          const taken = takenBy(taker, max);
          if (taken.length > 0) return taken;
          await rung(signal);
        }
        return [];
      } finally {
        takers.delete(taker);
      }
    },
    waiting: () => new Map([...pools].map(([pool, { size }]) => [pool, size])),
  };
}
