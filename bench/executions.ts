import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LocalDriver } from '../packages/noetl/src/cli/local-driver.ts';
import type { SourcedPlan } from '../packages/noetl/src/cli/sourced-plan.ts';
import { chain, execute, loop, openDriver } from './bench-driver.ts';
import { withBinding } from './binding.ts';
import { peerScenarios } from './peers.ts';
import { type BenchResult, rounded } from './result.ts';

const PROGRAM = fileURLToPath(new URL('../packages/noetl/dist/bundle/main.js', import.meta.url));

/** A folder of the memory, where the system has one. */
const MEMORY = '/dev/shm';

/** Whole executions in one process, durable: every event is in the SQLite file, synced, before the next step begins. */
export async function* executionScenarios(): AsyncGenerator<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'noetl-bench-'));
  const unsynced = existsSync(MEMORY) ? mkdtempSync(join(MEMORY, 'noetl-bench-')) : undefined;
  const driver = await openDriver(folder);
  const inMemory = unsynced === undefined ? undefined : await openDriver(unsynced);
  const bound = (measure: (driver: LocalDriver) => Promise<BenchResult>) => withBinding(driver, inMemory, measure);
  try {
    yield await bound(oneAtATime);
    yield await bound((used) => inFlight(used, 50));
    yield await bound((used) => sequentialSteps(used, 40));
    for (const items of [100, 1_000, 100_000]) yield await bound((used) => loopOf(used, items));
    yield coldStart(folder);
  } finally {
    await driver.close();
    await inMemory?.close();
    rmSync(folder, { recursive: true, force: true });
    if (unsynced !== undefined) rmSync(unsynced, { recursive: true, force: true });
  }
}

/** The same executions in other engines, in the same run. */
export async function* executionsBesidePeers(): AsyncGenerator<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'noetl-bench-'));
  const driver = await openDriver(folder);
  try {
    const plans = { chain: new Map<number, SourcedPlan>(), fan: new Map<number, SourcedPlan>() };
    yield* peerScenarios((shape, steps) => {
      const plan = plans[shape].get(steps) ?? (shape === 'chain' ? chain(steps) : loop(steps));
      plans[shape].set(steps, plan);
      return execute(driver, plan);
    });
  } finally {
    await driver.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const THREE_STEPS = chain(3);
/** Measured is the program when it is warm, as a server is: after so many executions its code is compiled. */
const WARM_UP = 300;

async function oneAtATime(driver: LocalDriver): Promise<BenchResult> {
  const times: number[] = [];
  for (let run = 0; run < WARM_UP + 200; run++) times.push(await execute(driver, THREE_STEPS));
  const sorted = times.slice(WARM_UP).sort((a, b) => a - b);
  const at = (share: number) => rounded(sorted[Math.floor(sorted.length * share)] ?? 0);
  return { scenario: '3 steps, one at a time', p50_ms: at(0.5), p99_ms: at(0.99) };
}

async function inFlight(driver: LocalDriver, width: number): Promise<BenchResult> {
  const executions = 2_000;
  const began = performance.now();
  let left = executions;
  const lane = async () => {
    while (left-- > 0) await execute(driver, THREE_STEPS);
  };
  await Promise.all(Array.from({ length: width }, lane));
  const seconds = (performance.now() - began) / 1000;
  return { scenario: `3 steps, ${width} in flight`, executions_per_s: rounded(executions / seconds) };
}

async function sequentialSteps(driver: LocalDriver, steps: number): Promise<BenchResult> {
  const plan = chain(steps);
  const times: number[] = [];
  for (let run = 0; run < 5; run++) times.push(await execute(driver, plan));
  return { scenario: `${steps} sequential steps`, ms: rounded(Math.min(...times)) };
}

async function loopOf(driver: LocalDriver, items: number): Promise<BenchResult> {
  const plan = loop(items);
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  const tries = items > 10_000 ? 1 : 3;
  let ms = Number.POSITIVE_INFINITY;
  for (let run = 0; run < tries; run++) ms = Math.min(ms, await execute(driver, plan));
  clearInterval(watch);
  return {
    scenario: `loop ${items}`,
    ms: rounded(ms),
    per_s: rounded((items * 1000) / ms),
    peak_rss_mb: rounded(Math.max(peak, process.memoryUsage.rss()) / 1024 / 1024),
  };
}

/** The program from its start to its end, in a folder that exists. */
function coldStart(folder: string): BenchResult {
  const file = fileURLToPath(new URL('../examples/hello.yaml', import.meta.url));
  const fastest = (args: readonly string[]): number => {
    const times = Array.from({ length: 5 }, () => {
      const began = performance.now();
      const { status } = spawnSync(process.execPath, args);
      if (status !== 0) throw new Error('the program of the bench failed');
      return performance.now() - began;
    });
    return rounded(Math.min(...times));
  };
  const ms = fastest([PROGRAM, 'run', file, '--quiet', '--data', folder]);
  const node = fastest(['-e', '0']);
  const program = fastest([PROGRAM, '--version']) - node;
  const rest = ms - node - program;
  const parts = { 'the start of Node': node, 'the loading of the program': program, 'the store and the run': rest };
  const [binds = ''] = Object.entries(parts).reduce((most, part) => (part[1] > most[1] ? part : most));
  return { scenario: 'cold start', ms, node_ms: rounded(node), program_ms: rounded(program), binds };
}
