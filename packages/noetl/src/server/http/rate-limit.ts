/** Lets so many requests a second through for each caller, and a burst of several seconds' worth. */
export interface RateLimit {
  /** Seconds until the caller may ask again; 0 if it may now. */
  take(caller: string): number;
}

const BURST_SECONDS = 5;
/** Callers that are remembered: one that is forgotten begins with a full burst. */
const MOST_CALLERS = 10_000;

export function createRateLimit(perSecond: number, now: () => number): RateLimit {
  const burst = perSecond * BURST_SECONDS;
  const callers = new Map<string, { left: number; at: number }>();
  return {
    take(caller) {
      if (perSecond <= 0) return 0;
      const at = now();
      const known = callers.get(caller) ?? { left: burst, at };
      callers.delete(caller);
      const left = Math.min(burst, known.left + ((at - known.at) / 1000) * perSecond);
      const allowed = left >= 1;
      callers.set(caller, { left: allowed ? left - 1 : left, at });
      const [oldest] = callers.keys();
      if (callers.size > MOST_CALLERS && oldest !== undefined) callers.delete(oldest);
      return allowed ? 0 : Math.ceil((1 - left) / perSecond);
    },
  };
}
