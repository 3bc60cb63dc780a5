import type { Instant } from '@noetl/engine';
import type { Clock } from '../ports/clock.ts';

/** Waits until the instant, or the signal. */
export const pause = (clock: Clock, until: Instant, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const wake = (): void => {
      cancel();
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = clock.at(until, wake);
    signal.addEventListener('abort', wake, { once: true });
  });
