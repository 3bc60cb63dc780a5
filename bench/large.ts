import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDataFolder } from '../packages/noetl/src/cli/data-folder.ts';
import { contentHashOf } from '../packages/noetl/src/cli/sourced-plan.ts';
import { systemClock } from '../packages/noetl/src/cli/system-clock.ts';
import { itemsFor, writeLargeExecution } from './large-execution.ts';
import { type BenchResult, rounded } from './result.ts';

const PROGRAM = fileURLToPath(new URL('../packages/noetl/dist/bundle/main.js', import.meta.url));
const EXECUTION = 'large';
const EVENTS = 1_000_000;
const GOAL_PER_S = 100_000;
const GOAL_MB = 256;

/** What an execution with a million events costs those who look at it: the built program, from its start to its end. */
export async function* largeScenarios(): AsyncGenerator<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'noetl-bench-'));
  try {
    yield await writing(folder);
    yield await looking(folder, 'verify', ['verify', EXECUTION], GOAL_PER_S);
    yield await looking(folder, 'status', ['status', EXECUTION]);
    yield await looking(folder, 'state', ['state', EXECUTION, '--at', String(EVENTS - 5_000)]);
    yield await looking(folder, 'state early', ['state', EXECUTION, '--at', String(EVENTS / 2)]);
    yield await looking(folder, 'events page', ['events', EXECUTION, '--after', String(EVENTS / 2), '--limit', '100']);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function writing(folder: string): Promise<BenchResult> {
  const data = await openDataFolder(folder, systemClock, 'run');
  const began = performance.now();
  const text = 'what the log does not show';
  const contentHash = contentHashOf({ text });
  await data.store.catalog.register(EXECUTION, text, contentHash, Date.now());
  const events = await writeLargeExecution(EXECUTION, itemsFor(EVENTS), data, { contentHash });
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

async function looking(folder: string, name: string, args: readonly string[], goal?: number): Promise<BenchResult> {
  const began = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'exec', ...args, '--data', folder, '--json'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid ?? 0));
  }, 10);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(watch);
  if (code !== 0) throw new Error(`noetl exec ${args.join(' ')} ended with ${code}`);
  const ms = performance.now() - began;
  const perSecond = Math.round((EVENTS * 1_000) / ms);
  const goals = goal === undefined ? {} : { events_per_s: perSecond, goal };
  const met = peak <= GOAL_MB && perSecond >= (goal ?? 0);
  return { scenario: `large.${name}`, ms: rounded(ms), ...goals, peak_rss_mb: rounded(peak), goal_mb: GOAL_MB, met };
}

/** Megabytes that the process has had at most, where the system tells. */
function peakOf(pid: number): number {
  try {
    const [, kilobytes] = /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
