import { BEATS_PER_TTL } from '../../keep-alive.ts';
import type { DriverProcess, Heartbeat } from '../../ports/drivers.ts';

/** A process that the store's thread keeps alive. */
export interface KeptProcess {
  readonly driver: DriverProcess;
  readonly ttl: number;
  /** How far the clock of who asked is ahead of the machine's. */
  readonly ahead: number;
}

export interface Heartbeats {
  start(kept: KeptProcess): void;
  stop(id: string): void;
  /** Beats for whom it is time; for a thread that may not come to its timers while it is busy. */
  beatDue(): void;
  stopAll(): void;
}

interface Beating extends KeptProcess {
  readonly due: number;
  readonly timer: NodeJS.Timeout;
}

/** Beats by the time of this thread. A beat that fails (undefined) is made up for by the next. */
export function createHeartbeats(
  beat: (driver: DriverProcess, ttl: number, now: number) => Heartbeat | undefined,
  lost: (id: string) => void,
): Heartbeats {
  const beating = new Map<string, Beating>();

  function stop(id: string): void {
    clearTimeout(beating.get(id)?.timer);
    beating.delete(id);
  }

  function start(kept: KeptProcess): void {
    const { id } = kept.driver;
    stop(id);
    const pause = kept.ttl / BEATS_PER_TTL;
    const timer = setTimeout(() => beatNow(kept), pause);
    beating.set(id, { ...kept, due: performance.now() + pause, timer });
  }

  function beatNow(kept: KeptProcess): void {
    const { driver, ttl, ahead } = kept;
    if (beat(driver, ttl, Date.now() + ahead) !== 'lost') {
      start(kept);
      return;
    }
    stop(driver.id);
    lost(driver.id);
  }

  return {
    start,
    stop,
    beatDue() {
      const now = performance.now();
      for (const kept of [...beating.values()]) if (kept.due <= now) beatNow(kept);
    },
    stopAll() {
      for (const id of [...beating.keys()]) stop(id);
    },
  };
}
