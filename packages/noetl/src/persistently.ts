import type { Clock } from './ports/clock.ts';
import { isLost } from './ports/store-error.ts';

/** How long something that the store could not take is tried again, in milliseconds, doubling. */
const FIRST_PAUSE = 250;
const LAST_PAUSE = 8_000;

/**
 * Tries again what a store refuses for a while, as a full disk does; undefined once nobody wants it any more. A store that
 * is lost to this process is not asked again.
 */
export async function persistently<T>(
  action: () => Promise<T>,
  unwanted: () => boolean,
  clock: Clock,
): Promise<T | undefined> {
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LAST_PAUSE)) {
    try {
      return await action();
    } catch (error) {
      if (unwanted()) return undefined;
      if (pause >= LAST_PAUSE || isLost(error)) throw error;
      await new Promise<void>((wake) => clock.at(clock.now() + pause, wake));
    }
  }
}
