import type { Json, JsonMap } from '@noetl/playbook';
import { emptyIntMap, firstInt, getInt, type IntMap, intEntries, removeInt, setInt } from '../int-map.ts';
import { jsonEqual } from '../json-equal.ts';
import { jsonSize } from '../json-size.ts';
import type { OutcomeError } from '../outcome.ts';
import { isTagged } from '../result-reference.ts';
import { joinFolds, type SharedFolds } from '../shared-write.ts';
import { type Body, bodyAt, type Loop, loopsOf, type PendingWrite, withLoopParts } from './body.ts';
import type { EventOf } from './event.ts';
import { findBody, findLoop, owe, owedTo, readyPipeline, setBody, settleOwed } from './evolve-work.ts';
import { unpacked, type Work, workOfKey } from './ids.ts';
import type { Schedules } from './payloads.ts';
import { counting, type ExecutionState } from './state.ts';

/** Results of a loop up to this size stay in its loop.done; larger ones become a manifest (RES-1). */
const INLINE_RESULTS = 64 * 1024;

export const unopenedLoop: Loop = {
  kind: 'loop',
  plan: undefined,
  next: 0,
  inFlight: emptyIntMap,
  ok: 0,
  failed: emptyIntMap,
  failures: 0,
  results: emptyIntMap,
  resultSize: 2,
  sources: [],
  stopping: undefined,
  pending: {},
  overlay: {},
  shared: {},
  early: emptyIntMap,
};

export function loopStarted(state: ExecutionState, work: Work, event: EventOf<'loop.started'>): ExecutionState {
  const loop = findLoop(state, work);
  if (loop === undefined) return state;
  const { payload } = event;
  const plan = {
    iterator: payload.iterator,
    items: payload.in,
    total: payload.total,
    mode: payload.mode,
    maxInFlight: payload.max_in_flight,
    failure: payload.failure,
    nested: payload.nested,
    firstTask: payload.first_task,
  };
  const opened = settleOwed(
    setBody(state, work, { ...loop, plan }),
    (owed) => owed.kind === 'open' && owedTo(work)(owed),
  );
  return closeIfOver(scheduleIterations(opened, work, payload.schedules), work);
}

/** ENG-8: the next iterations of a loop may be leased; those of an outer loop open their inner loop. */
export function scheduleIterations(state: ExecutionState, work: Work, { from, count }: Schedules): ExecutionState {
  const loop = findLoop(state, work);
  if (loop?.plan === undefined || count === 0) return state;
  const ctx = visibleCtx(state, work);
  let inFlight = loop.inFlight;
  let scheduled = state;
  for (let index = from; index < from + count; index++) {
    const body = loop.plan.nested ? unopenedLoop : readyPipeline(loop.plan.firstTask, ctx, state.results);
    inFlight = setInt(inFlight, index, body);
    if (loop.plan.nested) {
      scheduled = owe(scheduled, { kind: 'open', work: { run: work.run, path: [...work.path, index] } });
    }
  }
  return setBody(scheduled, work, withLoopParts(loop, { inFlight, next: from + count }));
}

/** The ctx that an iteration of the loop sees: with the writes that its iterations of outer loops made before. */
export function visibleCtx(state: ExecutionState, { run, path }: Work): JsonMap {
  let ctx = state.ctx;
  for (let level = 1; level <= path.length; level++) {
    const loop = findLoop(state, { run, path: path.slice(0, level) });
    if (loop !== undefined && Object.keys(loop.overlay).length > 0) ctx = { ...ctx, ...loop.overlay };
  }
  return ctx;
}

export const NO_SCHEDULES: Schedules = { from: 0, count: 0 };

type IterationEnd =
  | { readonly kind: 'done'; readonly result: Json }
  | { readonly kind: 'failed'; readonly error: OutcomeError; readonly dropped: readonly string[] };

/** ENG-8, ENG-9: an iteration is over; the event that says so frees its place and schedules what takes it. */
export function iterationEnded(
  state: ExecutionState,
  work: Work,
  end: IterationEnd,
  schedules: Schedules,
): ExecutionState {
  const index = work.path.at(-1);
  const loopWork = { run: work.run, path: work.path.slice(0, -1) };
  const loop = findLoop(state, loopWork);
  const body = findBody(state, work);
  if (index === undefined || loop?.plan === undefined || body === undefined) return state;
  const { writes, shared } = contributionsOf(body, end.kind === 'done');
  const parallel = loop.plan.mode === 'parallel';
  const left = removeInt(loop.inFlight, index);
  const pending = parallel ? withPending(loop.pending, writes) : loop.pending;
  const shares = withShared(loop, index, shared, () => firstInt(left)?.[0] ?? loop.next);
  const ended = withLoopParts(withLoopParts(loop, counted(loop, index, end)), { inFlight: left, pending, ...shares });
  let next = settleOwed(setBody(state, loopWork, ended), owedTo(work));
  next = counting(next, 'iterations');
  // A pipeline in a sequential loop has published its writes as it made them; an inner loop does so when it ends.
  if (!parallel && body.kind === 'loop') next = landPatch(next, loopWork, writes);
  if (end.kind === 'failed' && loop.plan.failure === 'fail_fast') {
    next = stopLoops(next, loopWork, end.error);
    next = dropWork(next, end.dropped);
  }
  return closeIfOver(scheduleIterations(next, loopWork, schedules), loopWork);
}

/** No iteration of the loop, nor of loops inside it, starts any more. */
export function stopLoops(state: ExecutionState, work: Work, error: OutcomeError): ExecutionState {
  const body = findBody(state, work);
  if (body === undefined) return state;
  let stopped = state;
  for (const [inner, { stopping }] of loopsOf(body, work)) {
    const loop = findLoop(stopped, inner);
    if (loop !== undefined && stopping === undefined) stopped = setBody(stopped, inner, { ...loop, stopping: error });
  }
  return stopped;
}

/** Whether nothing may begin around the work any more: the execution drains, or a loop that holds it stops. */
export const isStopped = (state: ExecutionState, { run, path }: Work): boolean =>
  state.failure !== undefined ||
  path.some((_, level) => findLoop(state, { run, path: path.slice(0, level) })?.stopping !== undefined);

/** Work that had not begun, or waited, is taken away; loops that have nothing left are over. */
export function dropWork(state: ExecutionState, dropped: readonly string[]): ExecutionState {
  let next = state;
  for (const key of unpacked(dropped)) {
    const work = workOfKey(key);
    next = settleOwed(setBody(next, work, undefined), owedTo(work));
    if (work.path.length > 0) next = closeIfOver(next, { run: work.run, path: work.path.slice(0, -1) });
  }
  return next;
}

/** The loop owes its end once nothing is in flight and nothing will be. */
function closeIfOver(state: ExecutionState, work: Work): ExecutionState {
  const loop = findLoop(state, work);
  if (loop?.plan === undefined || loop.inFlight.size > 0) return state;
  if (loop.next < loop.plan.total && loop.stopping === undefined) return state;
  const known = state.owed.some(
    (owed) => owed.kind === 'close' && owedTo(work)(owed) && owed.work.path.length === work.path.length,
  );
  return known ? state : owe(state, { kind: 'close', work });
}

/**
 * ENG-9: a write goes up to the innermost parallel loop, whose iteration keeps it until it ends; without one, everybody
 * may see it at once.
 */
export function landPatch(state: ExecutionState, { run, path }: Work, patch: JsonMap): ExecutionState {
  if (Object.keys(patch).length === 0) return state;
  const stepRun = getInt(state.runs, run);
  if (stepRun === undefined) return state;
  for (let level = path.length - 1; level >= 0; level--) {
    const around = bodyAt(stepRun.body, path.slice(0, level));
    if (around?.kind !== 'loop' || around.plan?.mode !== 'parallel') continue;
    const place = { run, path: path.slice(0, level + 1) };
    const keeper = findLoop(state, place);
    return keeper === undefined
      ? state
      : setBody(state, place, { ...keeper, overlay: { ...keeper.overlay, ...patch } });
  }
  return owe(state, { kind: 'publish', run, step: stepRun.step, patch });
}

/** What an ended iteration leaves to its loop. What an inner parallel loop held is lost when it failed. */
function contributionsOf(body: Body, done: boolean): { readonly writes: JsonMap; readonly shared: SharedFolds } {
  if (body.kind === 'pipeline') return { writes: body.state.ctx, shared: body.shared };
  if (body.kind === 'none') return { writes: {}, shared: {} };
  const held = done || body.plan?.mode === 'sequential';
  return { writes: { ...body.overlay, ...(done ? pendingValues(body) : {}) }, shared: held ? body.shared : {} };
}

export const pendingValues = ({ pending }: Loop): JsonMap =>
  Object.fromEntries(Object.entries(pending).map(([key, { value }]) => [key, value]));

function withPending(pending: Loop['pending'], writes: JsonMap): Loop['pending'] {
  if (Object.keys(writes).length === 0) return pending;
  const merged = { ...pending };
  for (const [key, value] of Object.entries(writes)) {
    const before = Object.hasOwn(pending, key) ? pending[key] : undefined;
    merged[key] = before === undefined ? { value, conflict: false } : meeting(before, value);
  }
  return merged;
}

/** Two references differ only if what is behind them does; a value and a reference may be the same. */
function meeting(before: PendingWrite, value: Json): PendingWrite {
  if (jsonEqual(before.value, value) || jsonEqual(before.other, value)) return before;
  const comparable = before.other !== undefined || isTagged(before.value) === isTagged(value);
  return comparable ? { ...before, conflict: true } : { ...before, other: value };
}

function counted(loop: Loop, index: number, end: IterationEnd): Partial<Loop> {
  const result = end.kind === 'done' ? end.result : null;
  const counts =
    end.kind === 'done' ? { ok: loop.ok + 1 } : { failures: loop.failures + 1, failed: withBit(loop.failed, index) };
  if (loop.results === undefined) return counts;
  const resultSize = loop.resultSize + jsonSize(result) + 1;
  if (resultSize > INLINE_RESULTS) return { ...counts, results: undefined, resultSize };
  return { ...counts, results: setInt(loop.results, index, result), resultSize };
}

const withBit = (bits: IntMap<number>, index: number): IntMap<number> => {
  const chunk = Math.floor(index / 32);
  return setInt(bits, chunk, (getInt(bits, chunk) ?? 0) | (1 << (index % 32)));
};

/** Contributions fold in the order of indexes: those behind an iteration that still runs wait for it. */
function withShared(loop: Loop, index: number, shared: SharedFolds, frontierOf: () => number): Partial<Loop> {
  if (Object.keys(shared).length === 0 && loop.early.size === 0) return {};
  let early = Object.keys(shared).length === 0 ? loop.early : setInt(loop.early, index, shared);
  const frontier = frontierOf();
  let folded = loop.shared;
  for (const [ended, folds] of intEntries(early)) {
    if (ended >= frontier) break;
    folded = joinFolds(folded, folds);
    early = removeInt(early, ended);
  }
  return { shared: folded, early };
}
