import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ExecutionEvent } from '@noetl/engine';
import type { Store } from '../packages/noetl/src/ports/store.ts';
import { openSqliteStore } from '../packages/noetl/src/stores/sqlite/store.ts';
import { type BenchResult, rounded } from './result.ts';

const GOAL_PER_S = 58_000;
const SECONDS = 3;

/** What the store of the embedded mode does, durably: each producer waits for its append before it makes the next. */
export async function* storeScenarios(): AsyncGenerator<BenchResult> {
  for (const producers of [1, 64, 1_024]) yield await withStore((store) => appending(store, producers, 1));
  yield await withStore((store) => appending(store, 1_024, 5));
  yield await withStore(reading);
}

async function withStore(scenario: (store: Store) => Promise<BenchResult>): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'noetl-bench-'));
  const store = await openSqliteStore(folder, { now: Date.now, at: () => () => undefined });
  try {
    return await scenario(store);
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}

/** Each append has `size` events: one, or as many as the report of a small pipeline leads to. */
async function appending(store: Store, producers: number, size: number): Promise<BenchResult> {
  await produce(store, producers, size, 'warm', 500);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const began = performance.now();
  const cpu = process.cpuUsage();
  const events = await produce(store, producers, size, 'bench', SECONDS * 1_000);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - began) / 1_000;
  delay.disable();
  const perSecond = events / seconds;
  return {
    scenario: `store.append-${producers}${size === 1 ? '' : `-by-${size}`}`,
    events_per_s: Math.round(perSecond),
    ms_per_append: rounded((producers * size * 1_000) / perSecond),
    // Of all threads: what counts on a machine that has other things to do.
    cpu_micros_per_event: rounded((user + system) / events),
    loop_delay_p99_ms: rounded(delay.percentile(99) / 1e6),
    ...(producers === 1_024 ? { goal: GOAL_PER_S, met: perSecond >= GOAL_PER_S } : {}),
  };
}

/** Events that all producers together have appended until the time was up, each to an execution of its own. */
async function produce(
  store: Store,
  producers: number,
  size: number,
  name: string,
  milliseconds: number,
): Promise<number> {
  const end = performance.now() + milliseconds;
  const counts = Array.from({ length: producers }, async (_, producer) => {
    const execution = `${name}-${producer}`;
    let position = 0;
    while (performance.now() < end) {
      const events = Array.from({ length: size }, (_, nth) => eventAt(execution, position + nth + 1));
      const [answer] = await store.log.append([{ execution, expected: position, events, under: [], unclaimed: [] }]);
      if (answer?.kind !== 'appended') throw new Error(`the append of the bench was answered with ${answer?.kind}`);
      position += size;
    }
    return position;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

async function reading(store: Store): Promise<BenchResult> {
  const execution = 'read';
  const total = 50_000;
  for (let position = 0; position < total; position += 1_000) {
    const events = Array.from({ length: 1_000 }, (_, nth) => eventAt(execution, position + nth + 1));
    await store.log.append([{ execution, expected: position, events, under: [], unclaimed: [] }]);
  }
  const began = performance.now();
  for (let after = 0; after < total; after += 1_000) await store.log.read(execution, after, 1_000);
  const seconds = (performance.now() - began) / 1_000;
  return { scenario: 'store.read', events_per_s: Math.round(total / seconds) };
}

/** About 500 bytes of JSON. */
function eventAt(execution: string, seq: number): ExecutionEvent {
  return {
    event_id: `${execution}:${seq}`,
    execution_id: execution,
    seq,
    timestamp: '2026-01-01T00:00:00.000Z',
    source: 'worker',
    name: 'task.started',
    entity_type: 'task',
    entity_id: `${execution}:1:task_1:1`,
    status: 'in_progress',
    step_run_id: `${execution}:1`,
    task_run_id: `${execution}:1:task_1:1`,
    task_label: 'task_1',
    visit: 1,
    attempt: 1,
    payload: { step: 'start', kind: 'noop', input: { text: 'x'.repeat(100) } },
  };
}
