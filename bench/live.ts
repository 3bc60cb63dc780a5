import { setTimeout } from 'node:timers/promises';
import { quantile } from './quantile.ts';
import { type BenchResult, rounded } from './result.ts';
import { openServed, type Served } from './served.ts';

/** How many executions live at the same time: `NOETL_BENCH_LIVE`. */
const EXECUTIONS = Number(process.env.NOETL_BENCH_LIVE ?? 3_000);
/** Requests that are on their way at a time. */
const WIDTH = 50;

const PLAYBOOK = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: live, path: live }
workload: { order: { id: 17, lines: [1, 2, 3] } }
workflow:
  - step: start
    tool: { kind: noop, result: { seen: "{{ workload.order.id }}" } }
    next: { arcs: [{ step: hold }] }
  - step: hold
    tool: { kind: wait, for: signal, name: go }
    next: { arcs: [{ step: last }] }
  - step: last
    tool: { kind: noop, result: "{{ start.seen }}" }
`;

/** Thousands of executions in one server: all wait for a signal, get it, and end. */
export async function* liveScenarios(): AsyncGenerator<BenchResult> {
  const served = await openServed(2, 50);
  try {
    await served.register(PLAYBOOK);
    // What a server needs once is not counted for each execution.
    await through(served, 200);
    yield* await through(served, EXECUTIONS);
  } finally {
    await served.close();
  }
}

async function through(served: Served, count: number): Promise<readonly BenchResult[]> {
  const before = { rss: await resident(served), ended: await served.metric(ENDED) };
  const probe = await served.start('live');
  let held: readonly unknown[] = [];
  for (; held.length === 0; ) {
    const events = await served.events(probe);
    if (events.at(-1)?.name === 'task.waiting') held = events;
  }
  const events = await served.metric('noetl_events_total');
  const ids = [probe];
  const began = performance.now();
  await each(count - 1, async () => {
    ids.push(await served.start('live'));
  });
  // Each that waits has as many events as the first.
  while ((await served.metric('noetl_events_total')) - events < (count - 1) * held.length) await setTimeout(20);
  const waiting = performance.now();
  const health: number[] = [];
  for (let look = 0; look < 100; look++) health.push(await served.look('/api/health'));
  const after = await resident(served);
  const signalled = performance.now();
  await each(count, (nth) => served.signal(ids[nth] ?? '', 'go'));
  await served.idle();
  const over = performance.now();
  const missing = count - ((await served.metric(ENDED)) - before.ended);
  if (missing !== 0) throw new Error(`of ${count} executions ${missing} have not ended well`);
  const perSecond = (ms: number): number => rounded((count * 1000) / ms);
  return [
    {
      scenario: `live: ${count} executions in one server`,
      started_per_s: perSecond(waiting - began),
      ended_per_s: perSecond(over - signalled),
      kb_per_execution: rounded((after - before.rss) / count / 1024),
      rss_mb: rounded(after / 1024 / 1024),
      health_p99_ms: rounded(quantile(health, 0.99)),
    },
  ];
}

const ENDED = 'noetl_executions_ended_total{status="success"}';

const resident = (served: Served): Promise<number> => served.metric('process_resident_memory_bytes');

/** Does something so many times, some at a time. */
async function each(count: number, action: (nth: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await action(next++);
  };
  await Promise.all(Array.from({ length: WIDTH }, lane));
}
