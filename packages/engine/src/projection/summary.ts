import type { Json } from '@noetl/playbook';
import type { ExecutionEvent } from '../execution/event.ts';
import { instantOf } from '../instant.ts';
import { emptyIntMap, intEntries } from '../int-map.ts';
import type { OutcomeError } from '../outcome.ts';
import type { Projection } from './projection.ts';
import { changesOf, forkedState, type LiveRuns, withLiveRun } from './work-change.ts';

/** An execution in one line of a list. */
export interface Summary {
  readonly execution_id: string;
  readonly path: string;
  readonly version: string | number | null;
  readonly content_hash: string;
  readonly status: SummaryStatus;
  /** The position of the newest event. */
  readonly seq: number;
  readonly started_at: string | undefined;
  readonly ended_at: string | undefined;
  /** Of an execution that is over. */
  readonly duration_ms: number | undefined;
  /** The steps with runs in flight, and how many of each. */
  readonly current_steps: Readonly<Record<string, number>>;
  readonly counters: Counters;
  readonly parent_execution_id: string | undefined;
  readonly trace_id: string | undefined;
  /** The execution and the position that it was forked from. */
  readonly origin: { readonly execution_id: string; readonly seq: number } | undefined;
  /** `kind: message`, on one line. */
  readonly error: string | undefined;
  readonly result: Json | undefined;
}

/**
 *   requested  the workflow has not started yet
 *   running    tokens move, work runs
 *   paused     nothing new is scheduled until it is resumed
 *   failing    a failure that no arc took; what runs goes on to its end
 *   rejected   the request could not be met: no workflow was started
 */
export type SummaryStatus =
  | 'requested'
  | 'running'
  | 'paused'
  | 'failing'
  | 'success'
  | 'error'
  | 'cancelled'
  | 'rejected';

/** Forks go on counting where their origin was. */
export interface Counters {
  readonly step_runs: number;
  readonly skipped: number;
  /** Attempts of tasks that are over. */
  readonly tasks: number;
  readonly retries: number;
  readonly iterations: number;
  readonly failures: number;
}

interface SummaryState {
  readonly request: Pick<
    Summary,
    'execution_id' | 'path' | 'version' | 'content_hash' | 'parent_execution_id' | 'trace_id' | 'origin'
  >;
  readonly seq: number;
  readonly started: string | undefined;
  readonly ended: string | undefined;
  readonly phase: 'requested' | 'running' | Ending;
  readonly paused: boolean;
  readonly error: OutcomeError | undefined;
  readonly live: LiveRuns;
  readonly counters: Counters;
  readonly result: Json | undefined;
}

type Ending = 'success' | 'error' | 'cancelled' | 'rejected';

export const summary: Projection<SummaryState, Summary> = {
  initial: {
    request: {
      execution_id: '',
      path: '',
      version: null,
      content_hash: '',
      parent_execution_id: undefined,
      trace_id: undefined,
      origin: undefined,
    },
    seq: 0,
    started: undefined,
    ended: undefined,
    phase: 'requested',
    paused: false,
    error: undefined,
    live: emptyIntMap,
    counters: { step_runs: 0, skipped: 0, tasks: 0, retries: 0, iterations: 0, failures: 0 },
    result: undefined,
  },
  fold: (before, event) => ({ ...folded(withLive(before, event), event), seq: event.seq }),
  view: ({ request, seq, started, ended, phase, paused, error, live, counters, result }) => ({
    ...request,
    status: phase !== 'running' ? phase : paused ? 'paused' : error === undefined ? 'running' : 'failing',
    seq,
    started_at: started,
    ended_at: ended,
    duration_ms: started === undefined || ended === undefined ? undefined : instantOf(ended) - instantOf(started),
    current_steps: stepsOf(live),
    counters,
    error: error && oneLine(error),
    result,
  }),
};

function withLive(before: SummaryState, event: ExecutionEvent): SummaryState {
  let { live } = before;
  for (const change of changesOf(event)) live = change.kind === 'over' ? emptyIntMap : withLiveRun(live, change);
  return live === before.live ? before : { ...before, live };
}

function folded(before: SummaryState, event: ExecutionEvent): SummaryState {
  const { counters } = before;
  const count = (counted: Partial<Counters>): SummaryState => ({ ...before, counters: { ...counters, ...counted } });
  switch (event.name) {
    case 'playbook.execution.requested': {
      const { path, version, content_hash, parent_execution_id, trace_id, origin } = event.payload;
      const { execution_id, timestamp } = event;
      const request = { execution_id, path, version, content_hash, parent_execution_id, trace_id, origin };
      return { ...before, request, started: timestamp };
    }
    case 'playbook.request.evaluated': {
      const { error } = event.payload;
      return error === undefined ? before : { ...before, phase: 'rejected', error };
    }
    case 'workflow.started':
      return { ...before, phase: 'running' };
    case 'execution.forked':
      return forked(before, event.payload.state);
    case 'step.scheduled':
      return count({ step_runs: counters.step_runs + 1 });
    case 'step.skipped':
      return count({ skipped: counters.skipped + 1 });
    case 'task.done': {
      const retried = event.payload.next.kind === 'retry' ? 1 : 0;
      return count({ tasks: counters.tasks + 1, retries: counters.retries + retried });
    }
    case 'loop.iteration.done':
      return count({ iterations: counters.iterations + 1 });
    case 'loop.iteration.failed':
      return count({ iterations: counters.iterations + 1, failures: counters.failures + 1 });
    case 'step.failed': {
      const { tokens, fatal = false, error } = event.payload;
      const failed = count({
        failures: counters.failures + 1,
        step_runs: counters.step_runs + (tokens === undefined || fatal ? 0 : 1),
      });
      return fatal ? { ...failed, error } : failed;
    }
    case 'next.evaluated':
      return event.payload.error === undefined ? before : { ...before, error: event.payload.error };
    case 'playbook.paused':
      return { ...before, paused: true };
    case 'playbook.resumed':
      return { ...before, paused: false };
    case 'workflow.finished':
      return { ...before, phase: event.payload.status, error: event.payload.error };
    case 'playbook.processed': {
      const { status, result, error } = event.payload;
      const phase = before.phase === 'rejected' ? 'rejected' : status;
      return { ...before, phase, result, error: error ?? undefined, ended: event.timestamp };
    }
    default:
      return before;
  }
}

function forked(before: SummaryState, stored: Json): SummaryState {
  const state = forkedState(stored);
  if (state === undefined) return { ...before, phase: 'running' };
  const { phase, outcome, paused, failure, stats } = state;
  const ending = phase === 'evaluated' && outcome !== undefined ? 'rejected' : outcome?.status;
  return {
    ...before,
    phase: ending ?? (phase === 'running' ? 'running' : 'requested'),
    paused,
    error: outcome?.error ?? failure,
    counters: stats,
  };
}

function stepsOf(live: LiveRuns): Readonly<Record<string, number>> {
  const steps = new Map<string, number>();
  for (const [, step] of intEntries(live)) steps.set(step, (steps.get(step) ?? 0) + 1);
  return Object.fromEntries(steps);
}

/** How much of an error a list has room for. */
const LINE = 200;

function oneLine({ kind, message }: OutcomeError): string {
  const line = `${kind}: ${message}`.replaceAll(/\s+/g, ' ').trim();
  return line.length <= LINE ? line : `${line.slice(0, LINE - 1)}…`;
}
