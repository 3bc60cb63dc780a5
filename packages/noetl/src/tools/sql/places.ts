/** A number of places, of which each is one caller's at a time; who comes first is served first. */
export interface Places {
  /** Waits for a free place. Throws a NoPlace when the time is over, or what the signal was aborted with. */
  take(signal: AbortSignal, milliseconds?: number): Promise<void>;
  free(): void;
}

export class NoPlace extends Error {
  override name = 'NoPlace';
}

export function openPlaces(limit: number): Places {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    async take(signal, milliseconds) {
      if (taken >= limit) {
        // Who is woken has the place of who left.
        await new Promise<void>((resolve, reject) => {
          const leave = (then: () => void) => {
            clearTimeout(timer);
            signal.removeEventListener('abort', stop);
            const at = waiting.indexOf(wake);
            if (at !== -1) waiting.splice(at, 1);
            then();
          };
          const wake = () => leave(resolve);
          const stop = () => leave(() => reject(signal.reason));
          const late = () => leave(() => reject(new NoPlace()));
          const timer = milliseconds === undefined ? undefined : setTimeout(late, milliseconds);
          signal.addEventListener('abort', stop);
          waiting.push(wake);
          if (signal.aborted) stop();
        });
      } else {
        taken++;
      }
    },
    free() {
      const next = waiting[0];
      if (next === undefined) taken--;
      else next();
    },
  };
}
