import { systemClock } from './system-clock.ts';

/** Between two looks at something that another process does. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((wake) => {
    systemClock.at(systemClock.now() + milliseconds, wake);
  });
