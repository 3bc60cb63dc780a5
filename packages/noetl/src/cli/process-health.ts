import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ProcessHealth } from '../server/metrics/server-metrics.ts';

const NANOSECONDS = 1e9;

/** Looks after the memory and the event loop of this process, until it is closed. */
export function watchProcess(): { look(): ProcessHealth; close(): void } {
  const delays = monitorEventLoopDelay({ resolution: 20 });
  delays.enable();
  return {
    look() {
      const { rss, heapUsed } = process.memoryUsage();
      // Before its first reading the histogram has no mean.
      const seconds = (of: number): number => (delays.count === 0 ? 0 : of / NANOSECONDS);
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
