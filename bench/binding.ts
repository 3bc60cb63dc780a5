import { performance } from 'node:perf_hooks';
import type { LocalDriver } from '../packages/noetl/src/cli/local-driver.ts';
import { type BenchResult, rounded } from './result.ts';

/** Above it, whoever is busy is what everything waits for. */
const BUSY = 0.8;
/** From it on, a part of the time is the largest. */
const MOST = 0.5;

/**
 * A figure with what binds it: how busy the thread is that decides, renders templates and writes JSON, and which share of
 * the time is gone where syncs cost nothing, in a folder of the memory. What is left is the thread of the store.
 */
export async function withBinding(
  driver: LocalDriver,
  inMemory: LocalDriver | undefined,
  measure: (driver: LocalDriver) => Promise<BenchResult>,
): Promise<BenchResult> {
  const before = performance.eventLoopUtilization();
  const [result, ms] = await timed(() => measure(driver));
  const busy = performance.eventLoopUtilization(before).utilization;
  const [, unsynced] = inMemory === undefined ? [undefined, ms] : await timed(() => measure(inMemory));
  const syncing = Math.max(0, 1 - unsynced / ms);
  const binds =
    syncing >= MOST
      ? 'fsync'
      : busy >= BUSY
        ? 'the main thread: core, templates, JSON'
        : 'the thread of the store: SQLite rows, fsync, IPC';
  return {
    ...result,
    main_busy: rounded(busy),
    fsync_share: inMemory === undefined ? null : rounded(syncing),
    binds,
  };
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const began = performance.now();
  return [await work(), performance.now() - began];
}
