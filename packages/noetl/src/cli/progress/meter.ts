/** The pace of the last five to ten seconds. It looks at the count only when it is asked. */
export interface Meter {
  /** Per second; undefined during the first moments. */
  rate(count: number, now: number): number | undefined;
  /** What was counted before does not matter. */
  restart(count: number, now: number): void;
}

const WINDOW = 5000;
const LEAST = 500;

export function createMeter(start: number): Meter {
  let older = { at: start, count: 0 };
  let newer = older;
  return {
    rate(count, now) {
      if (now - newer.at >= WINDOW) {
        older = newer;
        newer = { at: now, count };
      }
      const passed = now - older.at;
      return passed < LEAST ? undefined : ((count - older.count) * 1000) / passed;
    },
    restart(count, now) {
      older = { at: now, count };
      newer = older;
    },
  };
}
