import type { EventOf, ExecutionEvent } from '../execution/event.ts';
import { evolve } from '../execution/evolve.ts';
import { findLoop, workOf } from '../execution/evolve-work.ts';
import { workKey } from '../execution/ids.ts';
import { type ExecutionState, initialState } from '../execution/state.ts';

/** Where a fork tries again what made an execution fail. */
export interface FailurePoint {
  /** The event to fork from: the last at which the failure was still open. */
  readonly seq: number;
  /** The event that told the failure. */
  readonly failed: number;
  /** What failed; undefined where it was the execution as a whole. */
  readonly step: string | undefined;
  /** The iteration of the step's loops, as in ids; empty outside loops. */
  readonly path: string;
  readonly task: string | undefined;
}

/** Reads a log, each event once, for the failure that ended it. */
export interface FailureTrail {
  take(event: ExecutionEvent): void;
  /** Undefined while nothing has ended the execution in error, or where its origin had failed already. */
  point(): FailurePoint | undefined;
}

/**
 * ENG-15: the last checkpoint before the failure. A task that failed runs again from its last attempt on, a loop that
 * failed from its first failed iteration on, a task that waited waits again. One that called a child is prepared anew, so
 * that what was edited reaches the child.
 */
export function failureTrail(): FailureTrail {
  let state: ExecutionState = initialState;
  let found: FailurePoint | undefined;
  /** By work: why it is about to end. */
  const failing = new Map<string, FailurePoint>();
  /** By work: where a task began to wait, and the last event before its wait was over. */
  const waiting = new Map<string, number>();
  /** By work: the last event before its newest attempt. */
  const began = new Map<string, number>();
  const waited = new Map<string, number>();
  /** By run: its newest checkpoint. */
  const checkpoints = new Map<number, FailurePoint>();
  /** By event: why a step failed whose arcs are still to be evaluated. */
  const boundaries = new Map<string, FailurePoint>();

  function resumed(event: EventOf<'task.resumed'>, key: string): void {
    const { by, outcome, signal = 0 } = event.payload;
    const since = waiting.get(key) ?? 0;
    waiting.delete(key);
    if (outcome === undefined) return;
    // A signal that came while the task waited is not taken again: another may come.
    const last = signal > since ? signal - 1 : event.seq - 1;
    waited.set(key, by === 'child' ? (began.get(key) ?? last) : last);
  }

  function attempted(event: EventOf<'task.done'>, key: string): void {
    const point = before(event, event.payload.step, waited.get(key));
    waited.delete(key);
    began.delete(key);
    checkpoints.set(workOf(event).run, point);
    if (event.payload.next.kind === 'failed') failing.set(key, point);
  }

  function iterationFailed(event: EventOf<'loop.iteration.failed'>, key: string, previous: ExecutionState): void {
    const { run, path } = workOf(event);
    const point = failing.get(key) ?? before(event, event.payload.step);
    failing.delete(key);
    const loop = { run, path: path.slice(0, -1) };
    const stops = findLoop(state, loop)?.stopping !== undefined && findLoop(previous, loop)?.stopping === undefined;
    if (stops) failing.set(workKey(loop), point);
  }

  function stepFailed(event: EventOf<'step.failed'>, key: string, previous: ExecutionState): void {
    const { run } = workOf(event);
    // What it wrote cannot be published, and is in the checkpoint.
    const written = previous.owed.some(
      (owed) => (owed.kind === 'publish' && owed.run === run) || (owed.kind === 'close' && owed.work.run === run),
    );
    const point = failing.get(key) ?? (written ? checkpoints.get(run) : undefined) ?? before(event, event.payload.step);
    forget(run);
    if (event.payload.fatal === true) found ??= point;
    else boundaries.set(event.event_id, point);
  }

  function routed(event: EventOf<'next.evaluated'>): void {
    const { boundary, arcs, error, step } = event.payload;
    const point = boundaries.get(boundary.event_id);
    boundaries.delete(boundary.event_id);
    if (error === undefined) return;
    const broken = arcs.some(({ verdict }) => verdict === 'error');
    found ??= point === undefined || broken ? before(event, step) : point;
  }

  /** The run is over. */
  function forget(run: number): void {
    checkpoints.delete(run);
    for (const map of [failing, waiting, waited, began]) {
      for (const key of map.keys()) if (key === `${run}` || key.startsWith(`${run}:`)) map.delete(key);
    }
  }

  return {
    take(event) {
      const previous = state;
      state = evolve(previous, event);
      const key = workKey(workOf(event));
      switch (event.name) {
        case 'playbook.request.evaluated':
          if (event.payload.error !== undefined) found ??= before(event, undefined);
          return;
        case 'task.started':
          began.set(key, event.seq - 1);
          return;
        case 'task.waiting':
          waiting.set(key, event.seq);
          return;
        case 'task.resumed':
          resumed(event, key);
          return;
        case 'task.done':
          attempted(event, key);
          return;
        case 'loop.iteration.failed':
          iterationFailed(event, key, previous);
          return;
        case 'step.failed':
          stepFailed(event, key, previous);
          return;
        case 'step.done':
        case 'loop.done':
          checkpoints.delete(workOf(event).run);
          return;
        case 'next.evaluated':
          routed(event);
          return;
        case 'workflow.finished':
          if (event.payload.status === 'error' && previous.failure === undefined) found ??= before(event, undefined);
          return;
        default:
          return;
      }
    },
    point: () => found,
  };
}

function before(event: ExecutionEvent, step: string | undefined, seq = event.seq - 1): FailurePoint {
  const { path } = workOf(event);
  return { seq, failed: event.seq, step, path: path.join('.'), task: event.task_label };
}
