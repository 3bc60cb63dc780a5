import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataFolder } from '../packages/noetl/src/cli/data-folder.ts';
import { systemClock } from '../packages/noetl/src/cli/system-clock.ts';
import { itemsFor, writeLargeExecution } from './large-execution.ts';
import { type BenchResult, rounded } from './result.ts';

const EXECUTION = 'large';
const EVENTS = 1_000_000;

/** What an execution with a million events costs those who look at it. */
export async function* largeScenarios(): AsyncGenerator<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'noetl-bench-'));
  try {
    yield await writing(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function writing(folder: string): Promise<BenchResult> {
  const data = await openDataFolder(folder, systemClock, 'run');
  const began = performance.now();
  const events = await writeLargeExecution(EXECUTION, itemsFor(EVENTS), data);
  const seconds = (performance.now() - began) / 1_000;
  const snapshots = await data.store.snapshots.list(EXECUTION);
  await data.store.close();
  return {
    scenario: 'large.write',
    events,
    events_per_s: Math.round(events / seconds),
    // O(in flight), however many events there are.
    snapshot_kb: rounded(Math.max(...snapshots.map(({ state }) => state.length)) / 1_024),
  };
}
