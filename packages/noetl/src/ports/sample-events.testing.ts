import {
  type EventName,
  type ExecutionEvent,
  iterationId,
  type Payload,
  stepRunId,
  timestampOf,
  type Work,
  workId,
  workOfKey,
} from '@noetl/engine';
import type { Json } from '@noetl/playbook';

/** Events for tests of the log: right in their form, without a story behind them. */

export const note = (execution: string, seq: number, text: Json = seq): ExecutionEvent =>
  event('signal.received', execution, seq, undefined, { name: 'note', payload: text, by: null });

/** Events from the position behind `after` on. */
export const notes = (execution: string, after: number, count: number): readonly ExecutionEvent[] =>
  Array.from({ length: count }, (_, offset) => note(execution, after + offset + 1));

export const iterationDone = (execution: string, seq: number, work: string, result: Json = seq): ExecutionEvent =>
  event('loop.iteration.done', execution, seq, work, { step: 'each', index: indexOf(work), result });

export const iterationFailed = (execution: string, seq: number, work: string): ExecutionEvent =>
  event('loop.iteration.failed', execution, seq, work, { step: 'each', index: indexOf(work), error: ERROR });

export const stepDone = (execution: string, seq: number, work: string): ExecutionEvent =>
  event('step.done', execution, seq, work, { step: 'fetch', result: null });

export const stepFailed = (execution: string, seq: number, work: string): ExecutionEvent =>
  event('step.failed', execution, seq, work, { step: 'fetch', error: ERROR });

export const taskWaiting = (execution: string, seq: number, work: string): ExecutionEvent =>
  event('task.waiting', execution, seq, work, { step: 'fetch', for: 'signal', name: 'go' });

export const workflowFinished = (execution: string, seq: number): ExecutionEvent =>
  event('workflow.finished', execution, seq, undefined, { status: 'success' });

export const requested = (
  execution: string,
  seq: number,
  path: string,
  parent?: string,
  origin?: { readonly execution_id: string; readonly seq: number },
): ExecutionEvent =>
  event('playbook.execution.requested', execution, seq, undefined, {
    path,
    version: 3,
    content_hash: `hash of ${path}`,
    payload: {},
    depth: 0,
    ...(parent === undefined ? {} : { parent_execution_id: parent }),
    ...(origin === undefined ? {} : { origin }),
  });

export const paused = (execution: string, seq: number): ExecutionEvent =>
  event('playbook.paused', execution, seq, undefined, { reason: null, by: null });

export const resumed = (execution: string, seq: number): ExecutionEvent =>
  event('playbook.resumed', execution, seq, undefined, { by: null, releases: [], schedules: {} });

export const processed = (execution: string, seq: number, status: 'success' | 'error' | 'cancelled'): ExecutionEvent =>
  event('playbook.processed', execution, seq, undefined, { status, result: null, error: null, stats: NO_STATS });

const NO_STATS = { step_runs: 0, skipped: 0, tasks: 0, retries: 0, iterations: 0, failures: 0, duration_ms: 0 };

const ERROR = { kind: 'tool', retryable: false, message: 'it broke', details: null };

const indexOf = (work: string): number => workOfKey(work).path.at(-1) ?? 0;

function event<N extends EventName>(
  name: N,
  execution: string,
  seq: number,
  key: string | undefined,
  payload: Payload<N>,
): ExecutionEvent {
  const work = key === undefined ? undefined : workOfKey(key);
  return {
    event_id: `${execution}:${seq}`,
    execution_id: execution,
    seq,
    timestamp: timestampOf(seq),
    source: 'server',
    name,
    entity_type: 'workflow',
    entity_id: work === undefined ? execution : workId(execution, work),
    status: 'success',
    ...(work === undefined ? {} : idsOf(execution, work)),
    payload,
  } as unknown as ExecutionEvent;
}

const idsOf = (execution: string, work: Work) => ({
  step_run_id: stepRunId(execution, work.run),
  ...(work.path.length === 0 ? {} : { iteration_id: iterationId(execution, work) }),
});
