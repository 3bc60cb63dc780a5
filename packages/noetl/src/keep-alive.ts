import type { Clock } from './ports/clock.ts';
import type { Drivers } from './ports/drivers.ts';
import { repeatedly } from './repeatedly.ts';

/** How often a process beats in the time that a beat lets it live: one that is lost or late costs nothing yet. */
export const BEATS_PER_TTL = 3;

export interface KeptAlive {
  readonly keepAlive: Drivers['keepAlive'];
  stopAll(): void;
}

/** Heartbeats by the clock of who asks for them: for stores without a thread of their own. */
export function keptAliveByClock(clock: Clock, beat: Drivers['beat']): KeptAlive {
  const stops = new Set<() => void>();
  return {
    keepAlive(driver, ttl, lost) {
      const turn = async (): Promise<void> => {
        if ((await beat(driver, ttl)) !== 'lost' || !stops.has(stop)) return;
        stop();
        lost();
      };
      const end = repeatedly(clock, ttl / BEATS_PER_TTL, turn);
      const stop = (): void => {
        stops.delete(stop);
        void end();
      };
      stops.add(stop);
      return stop;
    },
    stopAll() {
      for (const stop of stops) stop();
    },
  };
}
