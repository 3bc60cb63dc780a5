import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { planOf } from '@noetl/engine';
import { readPlaybook } from '@noetl/playbook';
import type { LocalDriver } from '../packages/noetl/src/cli/local-driver.ts';
import type { SourcedPlan } from '../packages/noetl/src/cli/sourced-plan.ts';
import { peerScenarios } from './peers.ts';
import { type BenchResult, rounded } from './result.ts';

const PROGRAM = fileURLToPath(new URL('../packages/noetl/dist/bundle/main.js', import.meta.url));

/** Whole executions in one process, durable: every event is in the SQLite file, synced, before the next step begins. */
export async function* executionScenarios(): AsyncGenerator<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'noetl-bench-'));
  const driver = await openDriver(folder);
  try {
    yield await oneAtATime(driver);
    yield await inFlight(driver, 50);
    yield await sequentialSteps(driver, 40);
    for (const items of [100, 1_000, 100_000]) yield await loopOf(driver, items);
    yield coldStart(folder);
  } finally {
    await driver.close();
    rmSync(folder, { recursive: true, force: true });
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

let count = 0;

async function execute(driver: LocalDriver, plan: SourcedPlan): Promise<number> {
  const id = `bench${count++}`;
  const began = performance.now();
  await driver.start(plan, { execution_id: id, payload: {} });
  const { status, error } = await driver.over(id);
  if (status !== 'success') throw new Error(`an execution of the bench failed: ${JSON.stringify(error)}`);
  return performance.now() - began;
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
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now();
    const { status } = spawnSync(process.execPath, [PROGRAM, 'run', file, '--quiet', '--data', folder]);
    if (status !== 0) throw new Error('the program of the bench failed');
    return performance.now() - began;
  });
  return { scenario: 'cold start', ms: rounded(Math.min(...times)) };
}

function chain(steps: number): SourcedPlan {
  const step = (index: number) => `
  - step: ${index === 0 ? 'start' : `s${index}`}
    tool: { kind: noop, result: ${index} }
    ${index + 1 < steps ? `next: { arcs: [{ step: s${index + 1} }] }` : ''}`;
  return planFrom(`workflow:${Array.from({ length: steps }, (_, index) => step(index)).join('')}\n`);
}

const loop = (items: number): SourcedPlan =>
  planFrom(`
workflow:
  - step: start
    loop: { in: "{{ range(${items}) | list }}", iterator: x, spec: { mode: parallel, max_in_flight: 100 } }
    tool: { kind: noop, result: "{{ iter.x }}" }
`);

function planFrom(workflow: string): SourcedPlan {
  const text = `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: bench }\n${workflow}`;
  const { playbook } = readPlaybook(text, { file: 'bench.yaml' });
  if (playbook === undefined) throw new Error(`the playbook of the bench is not valid:\n${text}`);
  return { plan: planOf(playbook), text, folder: '.', path: 'bench', version: null, contentHash: 'bench' };
}

/** The built program's own parts: measured is what users run. */
async function openDriver(folder: string): Promise<LocalDriver> {
  const built = (file: string): string => new URL(`../packages/noetl/dist/${file}`, import.meta.url).href;
  const [
    { openDataFolder },
    { openLocalDriver },
    { createExecutionSecrets },
    { openTools },
    { systemClock },
    { thisMachine },
  ] = await Promise.all([
    import(built('cli/data-folder.js')) as Promise<typeof import('../packages/noetl/src/cli/data-folder.ts')>,
    import(built('cli/local-driver.js')) as Promise<typeof import('../packages/noetl/src/cli/local-driver.ts')>,
    import(built('cli/execution-secrets.js')) as Promise<
      typeof import('../packages/noetl/src/cli/execution-secrets.ts')
    >,
    import(built('tools/registry.js')) as Promise<typeof import('../packages/noetl/src/tools/registry.ts')>,
    import(built('cli/system-clock.js')) as Promise<typeof import('../packages/noetl/src/cli/system-clock.ts')>,
    import(built('cli/this-machine.js')) as Promise<typeof import('../packages/noetl/src/cli/this-machine.ts')>,
  ]);
  return openLocalDriver({
    data: await openDataFolder(folder, systemClock, 'run'),
    machine: thisMachine,
    clock: systemClock,
    tools: openTools(thisMachine),
    driverId: 'bench',
    slots: 100,
    secrets: createExecutionSecrets(thisMachine, () => undefined),
    called: { find: () => Promise.reject(new Error('nothing is called')), of: async () => undefined },
    committed: () => undefined,
  });
}
