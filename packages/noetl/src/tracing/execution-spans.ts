import {
  type EventOf,
  type ExecutionEvent,
  type Instant,
  instantOf,
  isTracedPath,
  readTraceparent,
  spanIdOf,
  tracedPart,
  traceIdOf,
  unpacked,
  workId,
  workOfKey,
} from '@noetl/engine';
import { describe, endedSpan, note, type OpenSpan, openSpan } from './open-span.ts';
import type { SpanError, TraceSpan } from './span.ts';
import { type OpenWork, type TaskEvent, takeTask } from './task-span.ts';

/**
 * The spans of one execution, made of its events in their order: execution → step run → iteration → task run. Each is given
 * out once, when it is over; whatever is open at the end of the work around it ends with that. It keeps what is under way,
 * and of loops no more than the iterations that have spans.
 *
 * A task run is one span from its first attempt to its last, over retries, waits and takeovers.
 */
export interface ExecutionSpans {
  take(event: ExecutionEvent): void;
}

interface OpenRun extends OpenWork {
  readonly iterations: Map<string, OpenWork>;
}

export function createExecutionSpans(ended: (span: TraceSpan) => void): ExecutionSpans {
  let trace = '';
  let root: OpenSpan | undefined;
  let isFork = false;
  const runs = new Map<string, OpenRun>();

  const give = (span: OpenSpan, end: Instant, error?: SpanError): void => ended(endedSpan(span, trace, end, error));

  function endWork({ span, task }: OpenWork, end: Instant, error: SpanError | undefined, around = error): void {
    if (task !== undefined) give(task, end, around ?? LEFT);
    give(span, end, error);
  }

  function endRun(id: string, end: Instant, error: SpanError | undefined): void {
    const run = runs.get(id);
    if (run === undefined) return;
    runs.delete(id);
    for (const iteration of run.iterations.values()) endWork(iteration, end, error ?? LEFT);
    endWork(run, end, error);
  }

  function request(event: EventOf<'playbook.execution.requested'>): void {
    const { path, version, depth, parent_execution_id, trace_id, traceparent, origin } = event.payload;
    const { execution_id: id } = event;
    trace = trace_id ?? traceIdOf(id);
    const asked = readTraceparent(traceparent);
    isFork = origin !== undefined;
    root = openSpan({
      id,
      parent_span_id: asked?.trace_id === trace ? asked.span_id : undefined,
      name: `execution ${path}`,
      kind: parent_execution_id === undefined ? 'server' : 'internal',
      start: instantOf(event.timestamp),
      links:
        origin === undefined
          ? []
          : [{ trace_id: traceIdOf(origin.execution_id), span_id: spanIdOf(origin.execution_id) }],
      attributes: {
        'noetl.execution.id': id,
        'noetl.playbook.path': path,
        'noetl.playbook.version': version === null ? undefined : `${version}`,
        'noetl.execution.depth': depth,
        'noetl.execution.parent_id': parent_execution_id,
        'noetl.execution.origin_id': origin?.execution_id,
      },
    });
  }

  function runOf(event: ExecutionEvent, around: OpenSpan, step: string): OpenRun | undefined {
    const { step_run_id: id } = event;
    if (id === undefined) return undefined;
    const found = runs.get(id);
    if (found !== undefined) return found;
    const span = openSpan({
      id,
      parent_span_id: around.span_id,
      name: `step ${step}`,
      // What a fork goes on with was scheduled elsewhere.
      start: isFork && event.name !== 'step.scheduled' ? around.start : instantOf(event.timestamp),
      attributes: {
        'noetl.execution.id': event.execution_id,
        'noetl.step.name': step,
        'noetl.step_run.id': id,
      },
    });
    const run: OpenRun = { span, task: undefined, iterations: new Map() };
    runs.set(id, run);
    return run;
  }

  /** The iteration of an event; undefined where it has no span of its own. */
  function iterationOf(event: ExecutionEvent, run: OpenRun, step: string): OpenWork | undefined {
    const { iteration_id: id } = event;
    if (id === undefined) return undefined;
    const found = run.iterations.get(id);
    if (found !== undefined) return found;
    const path = pathIn(id);
    if (!isTracedPath(path)) return undefined;
    const outer = path.length === 1 ? undefined : run.iterations.get(id.slice(0, id.lastIndexOf('.')));
    const span = openSpan({
      id,
      parent_span_id: (outer ?? run).span.span_id,
      name: `iteration ${step}`,
      start: instantOf(event.timestamp),
      attributes: {
        'noetl.execution.id': event.execution_id,
        'noetl.step.name': step,
        'noetl.step_run.id': event.step_run_id,
        'noetl.iteration.id': id,
        'noetl.iteration.index': path.at(-1),
      },
    });
    const iteration: OpenWork = { span, task: undefined };
    run.iterations.set(id, iteration);
    return iteration;
  }

  function endIteration(
    event: EventOf<'loop.iteration.done' | 'loop.iteration.failed'>,
    run: OpenRun,
    error: SpanError | undefined,
  ): void {
    const { iteration_id: id = '' } = event;
    const end = instantOf(event.timestamp);
    const iteration = iterationOf(event, run, event.payload.step);
    if (iteration === undefined) {
      if (error === undefined) return;
      const { index } = event.payload;
      const kept = run.iterations.get(nearestTraced(event, pathIn(id))) ?? run;
      note(kept.span, 'iteration failed', end, { 'noetl.iteration.index': index, 'error.type': error.kind });
      return;
    }
    run.iterations.delete(id);
    for (const [inner, work] of run.iterations) {
      if (!inner.startsWith(`${id}.`)) continue;
      run.iterations.delete(inner);
      endWork(work, end, error ?? LEFT);
    }
    endWork(iteration, end, error);
  }

  function workOf(event: TaskEvent, around: OpenSpan): OpenWork | undefined {
    const { step } = event.payload;
    const run = runOf(event, around, step);
    if (run === undefined || event.iteration_id === undefined) return run;
    return iterationOf(event, run, step);
  }

  function taskEvent(event: TaskEvent, around: OpenSpan): void {
    const work = workOf(event, around);
    if (work !== undefined) takeTask(event, work, give);
  }

  /** Work that ends with a failure elsewhere. */
  function drop(execution: string, dropped: readonly string[] | undefined, end: Instant): void {
    if (dropped === undefined) return;
    for (const key of unpacked(dropped)) {
      const { run, path } = workOfKey(key);
      const id = workId(execution, { run, path: [] });
      if (path.length === 0) {
        endRun(id, end, DROPPED);
        continue;
      }
      const iterations = runs.get(id)?.iterations;
      const iteration = iterations?.get(workId(execution, { run, path }));
      if (iterations === undefined || iteration === undefined) continue;
      iterations.delete(iteration.span.id);
      endWork(iteration, end, DROPPED);
    }
  }

  function stepEvent(event: ExecutionEvent, around: OpenSpan): void {
    const at = instantOf(event.timestamp);
    switch (event.name) {
      case 'step.scheduled':
        runOf(event, around, event.payload.step);
        return;
      case 'step.started': {
        const run = runOf(event, around, event.payload.step);
        if (run === undefined) return;
        describe(run.span, { 'noetl.worker.name': event.payload.worker });
        note(run.span, 'begun by a worker', at);
        return;
      }
      case 'step.skipped':
        note(around, 'step skipped', at, {
          'noetl.step.name': event.payload.step,
          'noetl.reason': event.payload.reason,
        });
        return;
      case 'step.done':
      case 'step.failed':
      case 'loop.done': {
        const run = runOf(event, around, event.payload.step);
        if (event.name === 'loop.done' && run !== undefined) {
          const { ok, failed } = event.payload.stats;
          describe(run.span, { 'noetl.loop.ok': ok, 'noetl.loop.failed': failed });
        }
        if (event.name === 'step.failed') drop(event.execution_id, event.payload.dropped, at);
        endRun(event.step_run_id ?? '', at, event.name === 'step.failed' ? event.payload.error : undefined);
        return;
      }
      case 'next.evaluated':
        drop(event.execution_id, event.payload.dropped, at);
    }
  }

  function loopEvent(
    event: EventOf<'loop.started' | 'loop.iteration.started' | 'loop.iteration.done' | 'loop.iteration.failed'>,
    around: OpenSpan,
  ): void {
    const run = runOf(event, around, event.payload.step);
    if (run === undefined) return;
    switch (event.name) {
      case 'loop.started': {
        const { total, mode, max_in_flight } = event.payload;
        const work = event.iteration_id === undefined ? run : iterationOf(event, run, event.payload.step);
        if (work === undefined) return;
        const shape = { 'noetl.loop.mode': mode, 'noetl.loop.max_in_flight': max_in_flight };
        describe(work.span, { 'noetl.loop.total': total, ...shape });
        return;
      }
      case 'loop.iteration.started': {
        const work = iterationOf(event, run, event.payload.step);
        if (work !== undefined) describe(work.span, { 'noetl.worker.name': event.payload.worker });
        return;
      }
      case 'loop.iteration.done':
        endIteration(event, run, undefined);
        return;
      case 'loop.iteration.failed':
        drop(event.execution_id, event.payload.dropped, instantOf(event.timestamp));
        endIteration(event, run, event.payload.error);
    }
  }

  function executionEvent(event: ExecutionEvent, span: OpenSpan): void {
    const at = instantOf(event.timestamp);
    switch (event.name) {
      case 'playbook.paused':
        note(span, 'paused', at);
        return;
      case 'playbook.resumed':
        note(span, 'resumed', at);
        return;
      case 'playbook.cancel.requested':
        note(span, 'cancel requested', at);
        return;
      case 'signal.received':
        note(span, 'signal received', at, { 'noetl.signal.name': event.payload.name });
        return;
      case 'workflow.finished':
        for (const id of [...runs.keys()]) endRun(id, at, event.payload.error ?? LEFT);
        return;
      case 'playbook.processed': {
        const { status, error, stats } = event.payload;
        describe(span, {
          'noetl.execution.status': status,
          'noetl.execution.step_runs': stats.step_runs,
          'noetl.execution.tasks': stats.tasks,
          'noetl.execution.retries': stats.retries,
          'noetl.execution.iterations': stats.iterations,
          'noetl.execution.failures': stats.failures,
        });
        give(span, at, error ?? undefined);
        root = undefined;
      }
    }
  }

  return {
    take(event) {
      if (event.name === 'playbook.execution.requested') request(event);
      if (root === undefined) return;
      switch (event.name) {
        case 'task.started':
        case 'task.waiting':
        case 'task.resumed':
        case 'task.done':
          taskEvent(event, root);
          return;
        case 'loop.started':
        case 'loop.iteration.started':
        case 'loop.iteration.done':
        case 'loop.iteration.failed':
          loopEvent(event, root);
          return;
        default:
          stepEvent(event, root);
          executionEvent(event, root);
      }
    },
  };
}

const DROPPED: SpanError = { kind: 'dropped', message: 'it ended with a failure elsewhere' };
const LEFT: SpanError = { kind: 'cancelled', message: 'it ended with what it belongs to' };

/** The indexes in the id of an iteration. */
const pathIn = (iteration: string): readonly number[] =>
  iteration
    .slice(iteration.lastIndexOf(':') + 1)
    .split('.')
    .map(Number);

/** The id of the nearest iteration around that has a span; that of the step run, if none has. */
function nearestTraced({ step_run_id: run = '' }: ExecutionEvent, path: readonly number[]): string {
  const traced = tracedPart(path);
  return traced.length === 0 ? run : `${run}:${traced.join('.')}`;
}
