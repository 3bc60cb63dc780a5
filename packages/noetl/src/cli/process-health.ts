import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ProcessHealth } from '../server/metrics/server-metrics.ts';

/** How often the event loop is looked at, in milliseconds. */
const RESOLUTION = 20;

/** How late a timer came, in seconds, by the nanoseconds between it and the one before: one that is on time comes after RESOLUTION. */
export const lateness = (nanoseconds: number): number => Math.max(nanoseconds / 1e9 - RESOLUTION / 1000, 0);

/** Looks after the memory and the event loop of this process, until it is closed. */
export function watchProcess(): { look(): ProcessHealth; close(): void } {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION });
  delays.enable();
  return {
    look() {
      const { rss, heapUsed } = process.memoryUsage();
      // Before its first reading the histogram has no mean.
      const seconds = (of: number): number => (delays.count === 0 ? 0 : lateness(of));
      const loopDelay = {
        mean: seconds(delays.mean),
        p99: seconds(delays.percentile(99)),
        max: seconds(delays.max),
      };
      delays.reset();
      return { residentBytes: rss, heapBytes: heapUsed, loopDelay };
    },
    close: () => {
      delays.disable();
    },
  };
}
