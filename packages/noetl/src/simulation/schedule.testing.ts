import type { Instant } from '@noetl/engine';
import type { Clock } from '../ports/clock.ts';
import { createVirtualClock } from '../ports/virtual-clock.testing.ts';
import type { Dice } from './dice.testing.ts';

/**
 * What will happen, and when. Between two happenings everybody comes to rest, as between two turns of an event loop. Of
 * what is due at the same instant, that of one lane keeps its order, and chance decides between lanes.
 */
export interface Schedule extends Clock {
  in(lane: number): Clock;
  /** Lets the next thing happen; false if there is none. */
  step(): boolean;
}

interface Due {
  readonly lane: number;
  readonly callback: () => void;
}

/** The lane of the world itself. */
const WORLD = 0;

export function createSchedule(begin: Instant, luck: Dice): Schedule {
  const clock = createVirtualClock(begin);
  const due: Due[] = [];

  function at(lane: number, instant: Instant, callback: () => void): () => void {
    const entry = { lane, callback };
    const cancel = clock.at(instant, () => due.push(entry));
    return () => {
      cancel();
      const place = due.indexOf(entry);
      if (place >= 0) due.splice(place, 1);
    };
  }

  function take(): Due | undefined {
    const chosen = due.length > 1 ? due[luck.roll(due.length)]?.lane : due[0]?.lane;
    const place = due.findIndex(({ lane }) => lane === chosen);
    return place < 0 ? undefined : due.splice(place, 1)[0];
  }

  return {
    now: clock.now,
    at: (instant, callback) => at(WORLD, instant, callback),
    in: (lane) => ({ now: clock.now, at: (instant, callback) => at(lane, instant, callback) }),
    step() {
      while (due.length === 0) {
        const next = clock.next();
        if (next === undefined) return false;
        clock.advanceTo(next);
      }
      take()?.callback();
      return true;
    },
  };
}
