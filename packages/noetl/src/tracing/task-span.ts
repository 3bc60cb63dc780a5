import { type EventOf, type Instant, instantOf } from '@noetl/engine';
import { describe, note, type OpenSpan, openSpan } from './open-span.ts';
import type { SpanError } from './span.ts';
import { callAttributes, outcomeAttributes, spanKindOf } from './task-attributes.ts';

/** Work that a pipeline or an inner loop runs: at most one task of it is under way. */
export interface OpenWork {
  readonly span: OpenSpan;
  task: OpenSpan | undefined;
}

export type TaskEvent = EventOf<'task.started' | 'task.waiting' | 'task.resumed' | 'task.done'>;

/** A task run is one span from its first attempt to its last: retries, waits and takeovers happen in it. */
export function takeTask(
  event: TaskEvent,
  work: OpenWork,
  give: (span: OpenSpan, end: Instant, error?: SpanError) => void,
): void {
  const task = taskOf(event, work);
  const at = instantOf(event.timestamp);
  const { attempt = 1 } = event;
  switch (event.name) {
    case 'task.started':
      describe(task, callAttributes(event.payload.kind, event.payload.input));
      return;
    case 'task.waiting':
      note(task, 'waiting', at, { 'noetl.wait.for': event.payload.for, 'noetl.wait.name': event.payload.name });
      return;
    case 'task.resumed':
      note(task, 'resumed', at, { 'noetl.wait.ended_by': event.payload.by });
      return;
    case 'task.done': {
      const { next, outcome } = event.payload;
      const error = outcome?.error ?? (next.kind === 'failed' ? next.error : undefined);
      if (next.kind === 'retry') {
        const tried = { 'noetl.task.attempt': attempt, 'error.type': error?.kind };
        note(task, 'retry', at, { ...tried, 'noetl.retry.delay': next.seconds });
        return;
      }
      work.task = undefined;
      describe(task, endAttributes(event, attempt));
      give(task, at, error);
    }
  }
}

const endAttributes = ({ payload: { kind, outcome, directive } }: EventOf<'task.done'>, attempt: number) => ({
  'noetl.task.kind': kind,
  'noetl.task.attempts': attempt,
  'noetl.task.status': outcome?.status ?? 'skipped',
  'noetl.task.directive': directive.do,
  ...(outcome === undefined ? {} : outcomeAttributes(outcome)),
});

function taskOf(event: TaskEvent, work: OpenWork): OpenSpan {
  const { task_run_id: id = '', task_label: label = '', visit, timestamp, payload } = event;
  if (work.task?.id === id) return work.task;
  const lasted = event.name === 'task.done' ? (event.payload.outcome?.meta.duration_ms ?? 0) : 0;
  const kind = 'kind' in payload ? payload.kind : undefined;
  const span = openSpan({
    id,
    parent_span_id: work.span.span_id,
    name: `task ${label}`,
    kind: spanKindOf(kind ?? ''),
    start: instantOf(timestamp) - lasted,
    attributes: {
      'noetl.execution.id': event.execution_id,
      'noetl.step.name': payload.step,
      'noetl.step_run.id': event.step_run_id,
      'noetl.iteration.id': event.iteration_id,
      'noetl.task.label': label,
      'noetl.task.kind': kind,
      'noetl.task_run.id': id,
      'noetl.task.visit': visit,
    },
  });
  work.task = span;
  return span;
}
