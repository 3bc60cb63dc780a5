import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { LocalDriver } from '../packages/noetl/src/cli/local-driver.ts';
import { chain, execute, loop, openDriver } from './bench-driver.ts';
import { quantile } from './quantile.ts';
import { type BenchResult, rounded } from './result.ts';
import { type EndPayload, openServed, type Served } from './served.ts';

const WORKERS = 2;
/** Of each worker: together they have as many as the process that does everything itself. */
const SLOTS = 50;
/** How many items the loop has during which the server is asked: `NOETL_BENCH_ITEMS`. */
const ITEMS = Number(process.env.NOETL_BENCH_ITEMS ?? 100_000);
const STATUS_GOAL_MS = 250;
const HEALTH_GOAL_MS = 100;

const PLANS = {
  chain: chain(3),
  thousand: loop(1_000),
  large: loop(ITEMS),
  /** Long pipelines: a report has many events. */
  reports: loop(
    5_000,
    `[${Array.from({ length: 10 }, (_, nth) => `{ t${nth}: { kind: noop, result: ${nth} } }`).join(', ')}]`,
  ),
};
const named = (path: string, text: string): string =>
  text.replace('{ name: bench }', `{ name: ${path}, path: ${path} }`);

/** Executions by HTTP: a server and two workers, each a process of its own, beside the same in one process. */
export async function* serverScenarios(): AsyncGenerator<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'noetl-bench-'));
  const driver = await openDriver(folder);
  let served: Served | undefined;
  try {
    served = await openServed(WORKERS, SLOTS);
    for (const [path, { text }] of Object.entries(PLANS)) await served.register(named(path, text));
    yield* oneAtATime(served, driver);
    yield await inFlight(served, driver);
    yield await thousandItems(served, driver);
    yield await ingest(served, driver);
    yield* whileLoopRuns(served);
  } finally {
    await served?.close();
    await driver.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measured is what is warm, as a server is. */
const WARM_UP = 200;
const MEASURED = 200;

async function* oneAtATime(served: Served, driver: LocalDriver): AsyncGenerator<BenchResult> {
  const embedded: number[] = [];
  for (let run = 0; run < WARM_UP + MEASURED; run++) embedded.push(await execute(driver, PLANS.chain));
  const times: number[] = [];
  const waits: number[] = [];
  for (let run = 0; run < WARM_UP + MEASURED; run++) {
    const began = performance.now();
    const id = await served.start('chain');
    demandSuccess(await served.follow(id));
    times.push(performance.now() - began);
    if (run >= WARM_UP) waits.push(...(await claimsOf(served, id)));
  }
  const p50 = quantile(times.slice(WARM_UP), 0.5);
  yield {
    scenario: 'server: 3 steps, one at a time',
    p50_ms: rounded(p50),
    p99_ms: rounded(quantile(times.slice(WARM_UP), 0.99)),
    of_embedded: rounded(p50 / quantile(embedded.slice(WARM_UP), 0.5)),
  };
  yield claimLatency('server: claim latency, workers idle', waits);
}

/** From the event that makes work ready to its start by a worker, as the log tells it, in whole milliseconds. */
async function claimsOf(served: Served, execution: string): Promise<readonly number[]> {
  const scheduled = new Map<string, number>();
  const waits: number[] = [];
  for (const { name, step_run_id = '', timestamp } of await served.events(execution)) {
    if (name === 'step.scheduled') scheduled.set(step_run_id, Date.parse(timestamp));
    const since = name === 'step.started' ? scheduled.get(step_run_id) : undefined;
    if (since !== undefined) waits.push(Date.parse(timestamp) - since);
  }
  if (waits.length === 0) throw new Error(`no claim is told in the log of ${execution}`);
  return waits;
}

const claimLatency = (scenario: string, waits: readonly number[]): BenchResult => ({
  scenario,
  claims: waits.length,
  p50_ms: rounded(quantile(waits, 0.5)),
  p99_ms: rounded(quantile(waits, 0.99)),
});

const EXECUTIONS = 2_000;
/** Requests that are on their way at a time. */
const WIDTH = 50;

async function inFlight(served: Served, driver: LocalDriver): Promise<BenchResult> {
  let count = 0;
  const embedded = await perSecond(async () => {
    await driver.start(PLANS.chain, { execution_id: `burst${count++}`, payload: {} });
  }, driver.settled);
  const ended = await served.metric('noetl_executions_ended_total');
  const through = await perSecond(() => served.start('chain'), served.idle);
  const missing = EXECUTIONS - ((await served.metric('noetl_executions_ended_total')) - ended);
  if (missing !== 0) throw new Error(`${missing} executions have not ended`);
  return {
    scenario: `server: 3 steps, ${EXECUTIONS} requested at once`,
    executions_per_s: rounded(through),
    of_embedded: rounded(through / embedded),
  };
}

async function perSecond(begin: () => Promise<unknown>, over: () => Promise<void>): Promise<number> {
  const began = performance.now();
  let left = EXECUTIONS;
  const lane = async () => {
    while (left-- > 0) await begin();
  };
  await Promise.all(Array.from({ length: WIDTH }, lane));
  await over();
  return (EXECUTIONS * 1000) / (performance.now() - began);
}

async function thousandItems(served: Served, driver: LocalDriver): Promise<BenchResult> {
  const [embedded, through] = [
    await fastest(() => execute(driver, PLANS.thousand)),
    await fastest(() => run(served, 'thousand')),
  ];
  return {
    scenario: 'server: loop 1000',
    ms: rounded(through),
    per_s: rounded(1_000_000 / through),
    of_embedded: rounded(through / embedded),
  };
}

async function ingest(served: Served, driver: LocalDriver): Promise<BenchResult> {
  const embedded = await fastest(() => execute(driver, PLANS.reports), 1);
  const before = await served.metric('noetl_events_total');
  const ms = await run(served, 'reports');
  const events = (await served.metric('noetl_events_total')) - before;
  return {
    scenario: 'server: event ingest',
    events,
    events_per_s: rounded((events * 1000) / ms),
    of_embedded: rounded(embedded / ms),
  };
}

async function fastest(once: () => Promise<number>, tries = 3): Promise<number> {
  let ms = Number.POSITIVE_INFINITY;
  for (let nth = 0; nth < tries; nth++) ms = Math.min(ms, await once());
  return ms;
}

/** How many milliseconds an execution took, from its request to its end. */
async function run(served: Served, path: string): Promise<number> {
  const end = await served.end(await served.start(path));
  demandSuccess(end);
  return end.stats.duration_ms;
}

function demandSuccess({ status, error }: EndPayload): void {
  if (status !== 'success') throw new Error(`an execution of the bench failed: ${JSON.stringify(error)}`);
}

/** How often it is asked, in milliseconds. */
const ASK = 50;

async function* whileLoopRuns(served: Served): AsyncGenerator<BenchResult> {
  const id = await served.start('large');
  let running = true;
  const asked = async (path: string): Promise<readonly number[]> => {
    const times: number[] = [];
    for (; running; await setTimeout(ASK)) times.push(await served.look(path));
    return times;
  };
  const looks = Promise.all([asked(`/api/executions/${id}/status`), asked('/api/health')]);
  const end = await served.end(id);
  running = false;
  const [status, health] = await looks;
  demandSuccess(end);
  const { duration_ms: ms } = end.stats;
  yield { scenario: `server: loop ${ITEMS}`, ms, per_s: rounded((ITEMS * 1000) / ms) };
  yield reading('status', status, STATUS_GOAL_MS);
  yield reading('health', health, HEALTH_GOAL_MS);
}

const reading = (what: string, times: readonly number[], goal: number): BenchResult => ({
  scenario: `server: ${what} while a loop of ${ITEMS} runs`,
  samples: times.length,
  p50_ms: rounded(quantile(times, 0.5)),
  p99_ms: rounded(quantile(times, 0.99)),
  goal_ms: goal,
  met: quantile(times, 0.99) <= goal,
});
