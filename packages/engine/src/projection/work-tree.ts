import type { Json } from '@noetl/playbook';
import type { ExecutionEvent } from '../execution/event.ts';
import { workOf } from '../execution/evolve-work.ts';
import type { Work } from '../execution/ids.ts';
import type { Payload } from '../execution/payloads.ts';
import { emptyIntMap, getInt, type IntMap, intEntries, setInt } from '../int-map.ts';
import type { OutcomeError } from '../outcome.ts';
import { type Attempts, noAttempts, withAttempt, withoutOpenAttempt } from './attempt.ts';
import { addEnded, addOpen, noRest, type Rest, restOver } from './rest.ts';
import {
  type Change,
  changesOf,
  isLive,
  type LiveRuns,
  loopAround,
  type OpenLoop,
  type WorkStatus,
  withLiveRun,
} from './work-change.ts';

/**
 * What became of step runs, their iterations and their attempts, as far as somebody wants to know: runs and iterations
 * that are not kept are only counted, so that a loop of a million costs no more memory than one of a hundred.
 */
export interface WorkTree {
  readonly runs: IntMap<WorkRecord>;
  /** The number of the newest run. */
  readonly newest: number;
  /** Runs that are not kept: the steps of those in flight, and what they came to, by step. */
  readonly live: LiveRuns;
  readonly rest: Readonly<Record<string, Rest>>;
  /** By the position of their event. */
  readonly skips: IntMap<Skip>;
}

export interface WorkRecord {
  readonly step: string;
  readonly status: WorkStatus;
  readonly scheduled_at: string;
  readonly started_at: string | undefined;
  readonly ended_at: string | undefined;
  readonly worker: string | undefined;
  /** Of a step run. */
  readonly args: Json | undefined;
  readonly result: Json | undefined;
  readonly error: OutcomeError | undefined;
  readonly attempts: Attempts;
  readonly loop: LoopRecord | undefined;
}

export interface LoopRecord extends OpenLoop {
  readonly inFlight: number;
  readonly iterations: IntMap<WorkRecord>;
  /** Iterations that are not kept. */
  readonly rest: Rest;
}

export interface Skip {
  readonly step: string;
  readonly at: string;
  readonly reason: Payload<'step.skipped'>['reason'];
  readonly rule: number | undefined;
  readonly reads: Json | undefined;
}

export interface Keeping {
  readonly keeps: (work: Work) => boolean;
  /** Attempts kept of each pipeline. */
  readonly attempts: number;
}

export const emptyTree: WorkTree = { runs: emptyIntMap, newest: 0, live: emptyIntMap, rest: {}, skips: emptyIntMap };

export function foldTree(keeping: Keeping, tree: WorkTree, event: ExecutionEvent): WorkTree {
  let next = tree;
  for (const change of changesOf(event)) next = changed(keeping, next, change, event.timestamp);
  if (event.name === 'step.skipped') return withSkip(keeping, next, event.payload, event);
  const work = workOf(event);
  const record = recordAt(next, work);
  if (record === undefined) return next;
  const attempts = withAttempt(record.attempts, event, keeping.attempts);
  const worker = 'worker' in event.payload ? event.payload.worker : record.worker;
  const same = attempts === record.attempts && worker === record.worker;
  return same ? next : withRecord(next, work, { ...record, attempts, worker });
}

function withSkip(
  { keeps }: Keeping,
  tree: WorkTree,
  { step, reason, rule, reads }: Payload<'step.skipped'>,
  { seq, timestamp }: ExecutionEvent,
): WorkTree {
  if (!keeps({ run: tree.newest + 1, path: [] })) return tree;
  return { ...tree, skips: setInt(tree.skips, seq, { step, at: timestamp, reason, rule, reads }) };
}

function changed(keeping: Keeping, tree: WorkTree, change: Change, at: string): WorkTree {
  switch (change.kind) {
    case 'run':
      return newRun(keeping, tree, change, at);
    case 'loop': {
      const loop = { ...change.loop, inFlight: 0, iterations: emptyIntMap, rest: noRest };
      return update(tree, change.work, (record) => started({ ...record, loop }, at));
    }
    case 'iterations':
      return updateLoop(tree, change.of, (loop, step) => scheduled(keeping, loop, step, change, at));
    case 'phase':
      return update(tree, change.work, (record) => {
        const moved = { ...record, status: change.phase };
        return change.phase === 'running' ? started(moved, at) : moved;
      });
    case 'end':
      return ended(tree, change, at);
    case 'over':
      return over(tree, at);
  }
}

const started = (record: WorkRecord, at: string): WorkRecord => ({
  ...record,
  status: 'running',
  started_at: record.started_at ?? at,
});

const newRecord = (step: string, args: Json | undefined, at: string): WorkRecord => ({
  step,
  status: 'ready',
  scheduled_at: at,
  started_at: undefined,
  ended_at: undefined,
  worker: undefined,
  args,
  result: undefined,
  error: undefined,
  attempts: noAttempts,
  loop: undefined,
});

type ChangeOf<K extends Change['kind']> = Extract<Change, { readonly kind: K }>;

function newRun({ keeps }: Keeping, tree: WorkTree, change: ChangeOf<'run'>, at: string): WorkTree {
  const { run, step, args } = change;
  const newest = Math.max(tree.newest, run);
  if (keeps({ run, path: [] })) return { ...tree, newest, runs: setInt(tree.runs, run, newRecord(step, args, at)) };
  const rest = Object.hasOwn(tree.rest, step) ? (tree.rest[step] ?? noRest) : noRest;
  const counted = { ...tree.rest, [step]: addOpen(rest, 1, at) };
  return { ...tree, newest, live: withLiveRun(tree.live, change), rest: counted };
}

function scheduled(
  { keeps }: Keeping,
  loop: LoopRecord,
  step: string,
  { of, from, count }: ChangeOf<'iterations'>,
  at: string,
): LoopRecord {
  let { iterations } = loop;
  let others = 0;
  for (let index = from; index < from + count; index++) {
    const kept = keeps({ run: of.run, path: [...of.path, index] });
    if (kept) iterations = setInt(iterations, index, newRecord(step, undefined, at));
    else others += 1;
  }
  return { ...loop, inFlight: loop.inFlight + count, iterations, rest: addOpen(loop.rest, others, at) };
}

function ended(tree: WorkTree, change: ChangeOf<'end'>, at: string): WorkTree {
  const { work, status, result, error } = change;
  const known = recordAt(tree, work) !== undefined;
  const closed = update(tree, work, (record) => ({ ...closedRecord(record, status, at), result, error }));
  if (work.path.length > 0) {
    return updateLoop(closed, loopAround(work), (loop) => ({
      ...loop,
      inFlight: loop.inFlight - 1,
      ok: loop.ok + (status === 'done' ? 1 : 0),
      failed: loop.failed + (status === 'failed' ? 1 : 0),
      rest: known ? loop.rest : addEnded(loop.rest, status, at),
    }));
  }
  const step = known ? undefined : getInt(tree.live, work.run);
  if (step === undefined) return closed;
  const rest = { ...tree.rest, [step]: addEnded(tree.rest[step] ?? noRest, status, at) };
  return { ...closed, live: withLiveRun(tree.live, change), rest };
}

/** Whatever was in flight inside ends with it. */
function closedRecord(record: WorkRecord, status: WorkStatus, at: string): WorkRecord {
  const { loop } = record;
  const attempts = withoutOpenAttempt(record.attempts, at);
  return { ...record, status, ended_at: at, attempts, loop: loop && closedLoop(loop, at) };
}

function closedLoop(loop: LoopRecord, at: string): LoopRecord {
  if (loop.inFlight === 0) return loop;
  return { ...loop, inFlight: 0, iterations: dropped(loop.iterations, at), rest: restOver(loop.rest, at) };
}

function dropped(records: IntMap<WorkRecord>, at: string): IntMap<WorkRecord> {
  let left = records;
  for (const [key, record] of intEntries(records)) {
    if (isLive(record.status)) left = setInt(left, key, closedRecord(record, 'dropped', at));
  }
  return left;
}

function over(tree: WorkTree, at: string): WorkTree {
  const rest = Object.fromEntries(Object.entries(tree.rest).map(([step, runs]) => [step, restOver(runs, at)]));
  return { ...tree, runs: dropped(tree.runs, at), live: emptyIntMap, rest };
}

export function recordAt(tree: WorkTree, { run, path }: Work): WorkRecord | undefined {
  let record = getInt(tree.runs, run);
  for (const index of path) record = record?.loop && getInt(record.loop.iterations, index);
  return record;
}

/** Changes a record that is kept and still lives. */
function update(tree: WorkTree, work: Work, change: (record: WorkRecord) => WorkRecord): WorkTree {
  const record = recordAt(tree, work);
  return record === undefined || !isLive(record.status) ? tree : withRecord(tree, work, change(record));
}

function updateLoop(tree: WorkTree, work: Work, change: (loop: LoopRecord, step: string) => LoopRecord): WorkTree {
  return update(tree, work, (record) =>
    record.loop === undefined ? record : { ...record, loop: change(record.loop, record.step) },
  );
}

function withRecord(tree: WorkTree, { run, path }: Work, record: WorkRecord): WorkTree {
  const top = getInt(tree.runs, run);
  return top === undefined ? tree : { ...tree, runs: setInt(tree.runs, run, placed(top, path, record)) };
}

function placed(around: WorkRecord, [index, ...rest]: readonly number[], record: WorkRecord): WorkRecord {
  if (index === undefined) return record;
  const inner = around.loop && getInt(around.loop.iterations, index);
  if (around.loop === undefined || inner === undefined) return around;
  const iterations = setInt(around.loop.iterations, index, placed(inner, rest, record));
  return { ...around, loop: { ...around.loop, iterations } };
}
