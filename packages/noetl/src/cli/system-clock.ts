import type { Clock } from '../ports/clock.ts';

/** A wait is cut into pieces: a timer cannot hold more than 24 days, and a machine that slept has to look again. */
const LONGEST_WAIT = 60_000;

/** The time of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  at(instant, callback) {
    const wait = () => setTimeout(look, Math.max(0, Math.min(instant - Date.now(), LONGEST_WAIT)));
    const look = () => {
      if (Date.now() >= instant) callback();
      else timer = wait();
    };
    let timer = wait();
    return () => clearTimeout(timer);
  },
};
