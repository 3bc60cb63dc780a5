import type { Clock } from './ports/clock.ts';

/** Does something again and again, never twice at a time; the returned function ends it. A failure waits for the next turn. */
export function repeatedly(clock: Clock, pause: number, action: () => Promise<unknown>): () => Promise<void> {
  let stopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let cancel = clock.at(clock.now() + pause, turn);
  function turn(): void {
    running = action()
      .catch(() => undefined)
      .finally(() => {
        if (!stopped) cancel = clock.at(clock.now() + pause, turn);
      });
  }
  return async () => {
    stopped = true;
    cancel();
    await running;
  };
}
