import type { Json, JsonMap } from '@noetl/playbook';
import { instantOf } from '../instant.ts';
import { emptyIntMap, getInt, intEntries, setInt } from '../int-map.ts';
import { jsonSize } from '../json-size.ts';
import type { OutcomeError } from '../outcome.ts';
import { passCheckpoint } from '../pipeline/checkpoint.ts';
import { isTagged } from '../result-reference.ts';
import { contribute } from '../shared-write.ts';
import { without } from '../without.ts';
import type { Body } from './body.ts';
import type { EventOf, ExecutionEvent } from './event.ts';
import {
  dropWork,
  isStopped,
  iterationEnded,
  landPatch,
  loopStarted,
  NO_SCHEDULES,
  scheduleIterations,
  stopLoops,
  unopenedLoop,
} from './evolve-loop.ts';
import {
  changePipeline,
  endRun,
  findPipeline,
  newStepRun,
  optionalInstant,
  owe,
  owedTo,
  readyPipeline,
  settleOwed,
  unlisten,
  withoutTokens,
  workOf,
} from './evolve-work.ts';
import { unpacked, workKey, workOfKey } from './ids.ts';
import { decodeState, isSnapshot } from './snapshot.ts';
import { type Boundary, counting, type ExecutionState, initialState, type Token, withParts } from './state.ts';

/**
 * The state after an event. Total: it never throws, never renders, knows no clock and no playbook; an event that does
 * not fit the state changes nothing but the position.
 */
export function evolve(state: ExecutionState, event: ExecutionEvent): ExecutionState {
  const next = folded(state, event);
  if ('cancels' in event.payload) return { ...withCancels(next, event.payload.cancels ?? []), seq: event.seq };
  if (next === state) return withParts(state, { seq: event.seq });
  // It was made just now and nobody else has seen it: writing the position in place saves a copy per event.
  (next as { seq: number }).seq = event.seq;
  return next;
}

/** The state of a log. */
export const fold = (events: Iterable<ExecutionEvent>, from: ExecutionState = initialState): ExecutionState => {
  let state = from;
  for (const event of events) state = evolve(state, event);
  return state;
};

/** Children that must not go on; whoever finds one still running later can tell by this. */
const withCancels = (state: ExecutionState, cancels: readonly string[]): ExecutionState =>
  cancels.length === 0 ? state : { ...state, cancels: [...new Set([...state.cancels, ...cancels])] };

function folded(state: ExecutionState, event: ExecutionEvent): ExecutionState {
  switch (event.name) {
    case 'playbook.execution.requested':
      return requested(state, event);
    case 'playbook.request.evaluated':
      return event.payload.error === undefined
        ? { ...evaluated(state), workload: event.payload.workload ?? {} }
        : { ...evaluated(state), outcome: { status: 'error', error: event.payload.error } };
    case 'workflow.started':
      return workflowStarted(state, event);
    case 'step.scheduled':
      return stepScheduled(state, event);
    case 'step.skipped': {
      const { step, tokens } = event.payload;
      const stats = { ...state.stats, skipped: state.stats.skipped + 1 };
      return withoutTokens({ ...state, stats }, step, tokens);
    }
    case 'step.started':
    case 'loop.iteration.started':
      return changePipeline(state, workOf(event), { phase: 'running', started: true });
    case 'task.started':
      return changePipeline(state, workOf(event), { phase: 'running', taskStarted: true });
    case 'task.done':
      return taskDone(state, event);
    case 'task.waiting':
      return taskWaiting(state, event);
    case 'task.resumed':
      return taskResumed(state, event);
    case 'step.done':
    case 'loop.done':
      return stepEnded(state, event, { ...state.results, [event.payload.step]: event.payload.result });
    case 'step.failed':
      return stepFailed(state, event);
    case 'loop.started':
      return loopStarted(state, workOf(event), event);
    case 'loop.iteration.done':
      return iterationEnded(
        state,
        workOf(event),
        { kind: 'done', result: event.payload.result },
        event.payload.schedules ?? NO_SCHEDULES,
      );
    case 'loop.iteration.failed': {
      const { error, dropped = [], schedules = NO_SCHEDULES } = event.payload;
      const failed = { ...state, stats: { ...state.stats, failures: state.stats.failures + 1 } };
      return iterationEnded(unlistenTo(failed, dropped), workOf(event), { kind: 'failed', error, dropped }, schedules);
    }
    case 'next.evaluated':
      return routed(state, event);
    case 'ctx.patched':
      return ctxPatched(state, event);
    case 'signal.received': {
      const { name, payload, by, input } = event.payload;
      const signal = { seq: event.seq, payload, by, at: event.timestamp };
      const kept = Object.hasOwn(state.signals, name) ? (state.signals[name] ?? []) : [];
      const signals = { ...state.signals, [name]: [...kept, signal] };
      return { ...state, signals, lastInput: input ?? state.lastInput };
    }
    case 'playbook.paused':
      return { ...state, paused: true };
    case 'playbook.resumed':
      return resumed(state, event);
    case 'playbook.cancel.requested':
      return { ...state, cancelled: { reason: event.payload.reason } };
    case 'execution.forked': {
      // Who reads a log puts the stored state in place first; without it nothing is known but that there is a fork.
      if (!isSnapshot(event.payload.state)) return state;
      return { ...decodeState(event.payload.state), request: state.request };
    }
    case 'workflow.finished':
      return finished(state, event);
    case 'playbook.processed':
      return { ...state, phase: 'processed' };
    default:
      return state;
  }
}

function requested(state: ExecutionState, event: EventOf<'playbook.execution.requested'>): ExecutionState {
  const { path, version, content_hash, payload, depth, parent_execution_id, trace_id } = event.payload;
  const { traceparent, traced } = event.payload;
  const trace = { ...(traceparent === undefined ? {} : { traceparent }), ...(traced === undefined ? {} : { traced }) };
  const requested_at = instantOf(event.timestamp);
  const { execution_id } = event;
  const request = { execution_id, path, version, content_hash, depth, parent_execution_id, trace_id, requested_at };
  return { ...state, phase: 'requested', request: { ...request, ...trace, payload } };
}

/** The payload is part of the workload now. */
const evaluated = (state: ExecutionState): ExecutionState => ({
  ...state,
  phase: 'evaluated',
  request: { ...state.request, payload: null },
});

function workflowStarted(state: ExecutionState, event: EventOf<'workflow.started'>): ExecutionState {
  const { entry_step, deadline } = event.payload;
  const started: ExecutionState = { ...state, phase: 'running', deadline: optionalInstant(deadline) };
  const view = { event_id: event.event_id, name: event.name, status: event.status, seq: event.seq };
  return withToken(started, entry_step, {
    id: 1,
    args: {},
    from: undefined,
    event: { ...view, timestamp: event.timestamp, payload: { entry_step } },
    parent: event.event_id,
  });
}

function withToken(state: ExecutionState, step: string, token: Token): ExecutionState {
  const there = Object.hasOwn(state.tokens, step) ? state.tokens[step] : undefined;
  const tokens = { ...state.tokens, [step]: setInt(there ?? emptyIntMap, token.id, token) };
  return { ...state, tokens, tokenCount: Math.max(state.tokenCount, token.id) };
}

function stepScheduled(state: ExecutionState, event: EventOf<'step.scheduled'>): ExecutionState {
  const { step, args, tokens, work, first_task, deadline } = event.payload;
  const { run } = workOf(event);
  const body: Body =
    work === 'pipeline'
      ? readyPipeline(first_task ?? '', state.ctx, state.results)
      : work === 'loop'
        ? unopenedLoop
        : { kind: 'none' };
  const stepRun = { run, step, args, scheduled: event.seq, deadline: optionalInstant(deadline), body };
  const scheduled = withoutTokens(newStepRun(stepRun, state), step, tokens);
  if (work === 'pipeline') return scheduled;
  return owe(scheduled, { kind: work === 'loop' ? 'open' : 'pass', work: { run, path: [] } });
}

function taskDone(state: ExecutionState, event: EventOf<'task.done'>): ExecutionState {
  const work = workOf(event);
  const pipeline = findPipeline(state, work);
  if (pipeline === undefined) return state;
  const { payload } = event;
  const { set_ctx = {}, set_shared = [], directive } = payload;
  const changed = changePipeline(state, work, {
    phase: 'running',
    state: passCheckpoint(pipeline.state, payload),
    taskStarted: false,
    waited: 'nothing',
    resumed: undefined,
    shared: contribute(pipeline.shared, set_shared),
  });
  const counted = counting(changed, 'tasks');
  const retried = directive.do === 'retry' && payload.next.kind === 'retry';
  return landPatch(retried ? counting(counted, 'retries') : counted, work, set_ctx);
}

function taskWaiting(state: ExecutionState, event: EventOf<'task.waiting'>): ExecutionState {
  const work = workOf(event);
  const { until, times_out = false, name, form, child } = event.payload;
  const wait = {
    for: event.payload.for,
    until: optionalInstant(until),
    timesOut: times_out,
    name,
    form,
    child,
  };
  const waiting = changePipeline(state, work, {
    phase: 'waiting',
    wait,
    waited: wait.for === 'retry' ? 'retry' : 'task',
  });
  if (wait.for === 'child' && child === undefined) return owe(waiting, { kind: 'resume', work });
  // ENG-5, ENG-8: what ran on after a failure ends where it would wait, as what waited before did.
  if (isStopped(state, work)) return dropWork(waiting, [workKey(work)]);
  if (wait.for !== 'signal' && wait.for !== 'approval') return waiting;
  const others = Object.hasOwn(state.listeners, name ?? '') ? (state.listeners[name ?? ''] ?? []) : [];
  return { ...waiting, listeners: { ...state.listeners, [name ?? '']: [...others, work] } };
}

function taskResumed(state: ExecutionState, event: EventOf<'task.resumed'>): ExecutionState {
  const work = workOf(event);
  const { outcome, held = false, signal } = event.payload;
  const name = findPipeline(state, work)?.wait?.name ?? '';
  const resumed = changePipeline(state, work, { phase: held ? 'held' : 'ready', wait: undefined, resumed: outcome });
  const answered = settleOwed(resumed, (owed) => owed.kind === 'resume' && owedTo(work)(owed));
  const unheard = unlistenTo(answered, [workKey(work)]);
  if (signal === undefined) return unheard;
  const kept = (Object.hasOwn(state.signals, name) ? (state.signals[name] ?? []) : []).filter(
    ({ seq }) => seq !== signal,
  );
  const { [name]: _, ...others } = state.signals;
  return { ...unheard, signals: kept.length === 0 ? others : { ...state.signals, [name]: kept } };
}

/** Work that is gone waits for no signal. */
function unlistenTo(state: ExecutionState, gone: readonly string[]): ExecutionState {
  const works = new Set(unpacked(gone));
  return works.size === 0 ? state : unlisten(state, (work) => works.has(workKey(work)));
}

type BoundaryEvent = EventOf<'step.done' | 'step.failed' | 'loop.done'>;

/** The run is over, and its arcs are owed; not while the execution drains (ENG-5). */
function stepEnded(state: ExecutionState, event: BoundaryEvent, results: JsonMap): ExecutionState {
  const { run } = workOf(event);
  const args = getInt(state.runs, run)?.args ?? {};
  const ended = { ...endRun(state, run), results };
  return state.failure === undefined ? owe(ended, { kind: 'route', boundary: boundaryOf(event, run, args) }) : ended;
}

const boundaryOf = (event: BoundaryEvent, run: number, args: Json): Boundary => ({
  name: event.name,
  run,
  step: event.payload.step,
  args,
  event_id: event.event_id,
  seq: event.seq,
  timestamp: event.timestamp,
  payload: event.payload as unknown as JsonMap,
});

function stepFailed(state: ExecutionState, event: EventOf<'step.failed'>): ExecutionState {
  const { step, tokens, args = {}, fatal = false, error, dropped = [] } = event.payload;
  const failed = { ...state, stats: { ...state.stats, failures: state.stats.failures + 1 } };
  if (fatal) return drain(endRun(failed, workOf(event).run), error, dropped);
  if (tokens === undefined) return stepEnded(failed, event, state.results);
  const { run } = workOf(event);
  const taken = withoutTokens(failed, step, tokens);
  const counted = { ...taken, stats: { ...taken.stats, step_runs: taken.stats.step_runs + 1 } };
  return owe(counted, { kind: 'route', boundary: boundaryOf(event, run, args) });
}

function routed(state: ExecutionState, event: EventOf<'next.evaluated'>): ExecutionState {
  const { step, arcs, boundary, error, dropped = [] } = event.payload;
  const owed = state.owed.find((entry) => entry.kind === 'route' && entry.boundary.event_id === boundary.event_id);
  const settled = settleOwed(state, (entry) => entry === owed);
  if (error !== undefined) return drain(settled, error, dropped);
  if (owed?.kind !== 'route') return settled;
  const view = boundaryView(owed.boundary);
  const sent = arcs.filter(({ token }) => token !== undefined);
  const next = sent.reduce<ExecutionState>(
    (before, { step: to, token, args = {} }) =>
      withToken(before, to, { id: token ?? 0, args, from: step, event: view, parent: event.event_id }),
    settled,
  );
  const result = owed.boundary.name === 'step.failed' ? null : (owed.boundary.payload.result ?? null);
  return sent.length > 0 || result === null ? next : { ...next, branchResult: result };
}

/** A boundary event as templates see it. */
export const boundaryView = ({ event_id, name, seq, timestamp, step, payload }: Boundary): JsonMap => ({
  event_id,
  name,
  status: name === 'step.failed' ? 'error' : 'success',
  seq,
  timestamp,
  step,
  payload,
});

/** ENG-5: nothing took the failure. What had not begun or waits is dropped, what runs goes on to its end. */
function drain(state: ExecutionState, error: OutcomeError, dropped: readonly string[]): ExecutionState {
  let draining: ExecutionState = settleOwed({ ...state, failure: error, tokens: {} }, ({ kind }) => kind === 'route');
  for (const [run] of intEntries(draining.runs)) draining = stopLoops(draining, { run, path: [] }, error);
  return dropWork(unlistenTo(draining, dropped), dropped);
}

function ctxPatched(state: ExecutionState, event: EventOf<'ctx.patched'>): ExecutionState {
  const { run } = workOf(event);
  const { patch } = event.payload;
  const published = state.owed.find((owed) => owed.kind === 'publish' && owed.run === run);
  const patched = { ...state, ctx: { ...state.ctx, ...patch }, ctxSize: patchedSize(state, patch) };
  // ENG-9: a write that was owed came from inside; otherwise the loop, about to end, publishes what it held.
  if (published?.kind !== 'publish') return withoutPending(patched, run, patch);
  const left = without(published.patch, patch);
  if (Object.keys(left).length === 0) return settleOwed(patched, (owed) => owed === published);
  return { ...patched, owed: state.owed.map((owed) => (owed === published ? { ...published, patch: left } : owed)) };
}

/** The size of ctx with the patch, from the values that change alone. */
export function patchedSize({ ctx, ctxSize }: Pick<ExecutionState, 'ctx' | 'ctxSize'>, patch: JsonMap): number {
  const entries = Object.entries(patch);
  if (entries.length === 0) return ctxSize;
  // An entry counts with one comma; of n entries one has none, and the braces are two.
  const sizeOf = (key: string, value: Json): number => jsonSize(key) + storedSize(value) + 2;
  const grown = entries.reduce((size, [key, value]) => size + sizeOf(key, value), 0);
  const known = entries.filter(([key]) => Object.hasOwn(ctx, key));
  const replaced = known.reduce((size, [key]) => size + sizeOf(key, ctx[key] ?? null), 0);
  return (ctxSize === EMPTY ? EMPTY - 1 : ctxSize) + grown - replaced;
}

/** The bytes of `{}`. */
const EMPTY = 2;

export const ctxSizeOf = (ctx: JsonMap): number => patchedSize({ ctx: {}, ctxSize: EMPTY }, ctx);

/** What stands behind a reference counts as if it were here: the limit does not depend on what fits into an event. */
const storedSize = (value: Json): number =>
  isTagged(value) && typeof value.size === 'number' ? value.size : jsonSize(value);

function resumed(state: ExecutionState, { payload }: EventOf<'playbook.resumed'>): ExecutionState {
  let next: ExecutionState = { ...state, paused: false };
  for (const key of unpacked(payload.releases)) next = changePipeline(next, workOfKey(key), { phase: 'ready' });
  for (const [key, schedules] of Object.entries(payload.schedules)) {
    next = scheduleIterations(next, workOfKey(key), schedules);
  }
  return next;
}

/** Writes that a loop held are published. */
function withoutPending(state: ExecutionState, run: number, patch: JsonMap): ExecutionState {
  const stepRun = getInt(state.runs, run);
  if (stepRun?.body.kind !== 'loop') return state;
  const { pending, shared } = stepRun.body;
  const body = { ...stepRun.body, pending: without(pending, patch), shared: without(shared, patch) };
  return { ...state, runs: setInt(state.runs, run, { ...stepRun, body }) };
}

function finished(state: ExecutionState, { payload }: EventOf<'workflow.finished'>): ExecutionState {
  return {
    ...state,
    phase: 'finished',
    outcome: { status: payload.status, error: payload.error },
    tokens: {},
    runs: emptyIntMap,
    owed: [],
    signals: {},
    listeners: {},
  };
}
