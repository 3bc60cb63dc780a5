import type { Instant } from '@noetl/engine';
import type { Clock } from './clock.ts';

/** A clock that stands still until a test moves it. Callbacks come by instant, and in the order of `at` within one. */
export interface VirtualClock extends Clock {
  /** The instant of the next callback; undefined if nobody waits. */
  next(): Instant | undefined;
  /** Calls back all that is due up to the instant, each with the clock at its own instant, then stands there. */
  advanceTo(instant: Instant): void;
}

interface Timer {
  readonly instant: Instant;
  readonly callback: () => void;
}

export function createVirtualClock(start: Instant = 0): VirtualClock {
  let now = start;
  /** The last is due first: taking it costs nothing. */
  const timers: Timer[] = [];

  return {
    now: () => now,
    at(instant, callback) {
      const timer = { instant, callback };
      timers.splice(placeOf(timers, instant), 0, timer);
      return () => {
        const place = timers.indexOf(timer, placeOf(timers, instant));
        if (place >= 0) timers.splice(place, 1);
      };
    },
    next: () => timers.at(-1)?.instant,
    advanceTo(instant) {
      for (let due = timers.at(-1); due !== undefined && due.instant <= instant; due = timers.at(-1)) {
        timers.pop();
        now = Math.max(now, due.instant);
        due.callback();
      }
      now = Math.max(now, instant);
    },
  };
}

/** The place in front of all timers that are due at the instant or earlier. */
function placeOf(timers: readonly Timer[], instant: Instant): number {
  let low = 0;
  let high = timers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((timers[middle]?.instant ?? instant) > instant) low = middle + 1;
    else high = middle;
  }
  return low;
}
