import { type ExecutionEvent, evolve, initialState, timestampOf } from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';
import type { ResultStore } from '../packages/noetl/src/ports/result-store.ts';
import type { Store } from '../packages/noetl/src/ports/store.ts';
import { createSnapshotKeeper } from '../packages/noetl/src/server/snapshot-keeper.ts';

const WINDOW = 100;
/** Of each iteration: started, its task started and done, done. */
const PER_ITEM = 4;
/** Events before the first iteration, and behind the last. */
const AROUND = 9;

/** How many items give about so many events. */
export const itemsFor = (events: number): number => Math.ceil((events - AROUND) / PER_ITEM);

/**
 * Writes the log that a loop over so many items leaves behind, as fast as the store takes it: event for event what the
 * driver appends, with its snapshots. Returns the number of events.
 */
export async function writeLargeExecution(
  execution: string,
  items: number,
  { store, results }: { readonly store: Store; readonly results: ResultStore },
  {
    contentHash = 'large',
    began = Date.UTC(2026, 0, 1),
  }: { readonly contentHash?: string; readonly began?: number } = {},
): Promise<number> {
  const list = await results.put(Array.from({ length: items }, (_, index) => index));
  const keeper = createSnapshotKeeper(store.snapshots);
  let state = initialState;
  for (const batch of batches(largeLog(execution, items, list, contentHash, began))) {
    let expected = state.seq;
    const appends = batch.map((events) => {
      const append = { execution, expected, events, under: [], unclaimed: [] };
      expected += events.length;
      return append;
    });
    for (const answer of await store.log.append(appends)) {
      if (answer.kind !== 'appended') throw new Error(`an append of the bench was answered with ${answer.kind}`);
    }
    for (const event of batch.flat()) state = evolve(state, event);
    keeper.committed(execution, state);
  }
  if (state.phase !== 'processed') throw new Error(`the execution of the bench ended as ${state.phase}`);
  return state.seq;
}

/** Appends that are sent together. */
function* batches<T>(appends: Iterable<T>): Generator<readonly T[]> {
  let batch: T[] = [];
  for (const append of appends) {
    if (batch.push(append) < 500) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The appends, in their order. */
function* largeLog(
  execution: string,
  items: number,
  list: Json,
  content_hash: string,
  began: number,
): Generator<readonly ExecutionEvent[]> {
  let seq = 0;
  const run = `${execution}:1`;
  const event = (
    [source, name, entity_type, entity_id, status]: readonly [string, string, string, string, string],
    ids: JsonMap,
    payload: JsonMap,
  ): ExecutionEvent => {
    seq += 1;
    const timestamp = timestampOf(began + Math.floor(seq / 100));
    const envelope = { event_id: `${execution}:${seq}`, execution_id: execution, seq, timestamp, source, name };
    return { ...envelope, entity_type, entity_id, status, ...ids, payload } as unknown as ExecutionEvent;
  };
  const playbook = (name: string, status: string, payload: JsonMap) =>
    event(['server', `playbook.${name}`, 'playbook', execution, status], {}, payload);
  const loop = { step: 'start', iterator: 'x', in: list, total: items, mode: 'parallel', max_in_flight: WINDOW };

  yield [
    playbook('execution.requested', 'in_progress', {
      path: 'large',
      version: null,
      content_hash,
      payload: {},
      depth: 0,
    }),
    playbook('request.evaluated', 'success', { workload: {} }),
    event(['server', 'workflow.started', 'workflow', execution, 'in_progress'], {}, { entry_step: 'start' }),
    event(
      ['server', 'step.scheduled', 'step', run, 'in_progress'],
      { step_run_id: run, parent_event_id: `${execution}:3` },
      { step: 'start', args: {}, tokens: [1], work: 'loop', first_task: 'task_1' },
    ),
    event(
      ['server', 'loop.started', 'loop', run, 'in_progress'],
      { step_run_id: run },
      {
        ...loop,
        failure: 'fail_fast',
        nested: false,
        first_task: 'task_1',
        schedules: { from: 0, count: Math.min(WINDOW, items) },
      },
    ),
  ];

  for (let index = 0; index < items; index++) {
    const iteration = `${run}:${index}`;
    const task = `${iteration}:task_1:1`;
    const of = { step_run_id: run, iteration_id: iteration };
    const ofTask = { ...of, task_run_id: task, task_label: 'task_1', visit: 1, attempt: 1 };
    const meta = { attempt: 1, duration_ms: 0, ts: timestampOf(began + Math.floor(seq / 100)) };
    const next = index + WINDOW;
    yield [
      event(['worker', 'loop.iteration.started', 'loop', iteration, 'in_progress'], of, {
        step: 'start',
        index,
        worker: 'bench',
      }),
      event(['worker', 'task.started', 'task', task, 'in_progress'], ofTask, {
        step: 'start',
        kind: 'noop',
        input: { result: index },
      }),
      event(['worker', 'task.done', 'task', task, 'success'], ofTask, {
        step: 'start',
        kind: 'noop',
        outcome: { status: 'ok', result: index, meta },
        directive: { do: 'continue', rule: 'default' },
        next: { kind: 'done' },
      }),
      event(['worker', 'loop.iteration.done', 'loop', iteration, 'success'], of, {
        step: 'start',
        index,
        result: index,
        ...(next < items ? { schedules: { from: next, count: 1 } } : {}),
      }),
    ];
  }

  const manifest = {
    $noetl: 'manifest',
    total: items,
    ok: items,
    failed: 0,
    sources: [{ execution_id: execution, loop: run, until: null }],
  };
  const boundary = `${execution}:${seq + 1}`;
  const counts = { step_runs: 1, skipped: 0, tasks: items, retries: 0, iterations: items, failures: 0 };
  yield [
    event(
      ['server', 'loop.done', 'loop', run, 'success'],
      { step_run_id: run },
      {
        step: 'start',
        result: manifest,
        stats: { total: items, ok: items, failed: 0 },
      },
    ),
    event(
      ['server', 'next.evaluated', 'next', run, 'success'],
      { step_run_id: run, parent_event_id: boundary },
      {
        step: 'start',
        boundary: { event_id: boundary, name: 'loop.done' },
        mode: 'exclusive',
        arcs: [],
      },
    ),
    event(['server', 'workflow.finished', 'workflow', execution, 'success'], {}, { status: 'success' }),
    playbook('processed', 'success', {
      status: 'success',
      result: manifest,
      error: null,
      stats: { ...counts, duration_ms: Math.floor(seq / 100) },
    }),
  ];
}
