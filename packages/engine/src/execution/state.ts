import type { Json, JsonMap } from '@noetl/playbook';
import type { Instant } from '../instant.ts';
import { emptyIntMap, type IntMap } from '../int-map.ts';
import type { OutcomeError } from '../outcome.ts';
import type { Body } from './body.ts';
import type { Work } from './ids.ts';

/**
 * An execution as its log tells it: O(in flight), not O(history).
 *
 *   phase      what it is doing                                           ended by
 *   new        nothing was appended yet                                   playbook.execution.requested
 *   requested  the request is still to be evaluated                       playbook.request.evaluated
 *   evaluated  the workload is known, or why there is none                workflow.started or playbook.processed
 *   running    tokens move, work runs                                     workflow.finished
 *   finished   every branch has ended                                     playbook.processed
 *   processed  its result is known; nothing is appended any more
 *
 * While running it may be paused (nothing new is scheduled), or draining (`failure` is set: a failure that nothing took;
 * only work that already runs goes on).
 */
export interface ExecutionState {
  readonly seq: number;
  readonly phase: 'new' | 'requested' | 'evaluated' | 'running' | 'finished' | 'processed';
  readonly request: Request;
  readonly workload: Json;
  readonly ctx: JsonMap;
  /** Its bytes as JSON. */
  readonly ctxSize: number;
  /** The newest result of each step that completed. */
  readonly results: JsonMap;
  /** Tokens that no step run has taken yet, by step; those at joins wait here. */
  readonly tokens: Readonly<Record<string, IntMap<Token>>>;
  readonly tokenCount: number;
  readonly runs: IntMap<StepRun>;
  /** What the log has not answered yet. A decision goes on until nothing is owed. */
  readonly owed: readonly Owed[];
  readonly paused: boolean;
  readonly failure: OutcomeError | undefined;
  /** It was asked to end, and why. */
  readonly cancelled: { readonly reason: string | null } | undefined;
  /** Signals that no `wait` has taken yet, by name. */
  readonly signals: Readonly<Record<string, readonly Signal[]>>;
  /** The number of the newest input that was left for the execution and became a signal. */
  readonly lastInput: number | undefined;
  /** Child executions that were cancelled with the work that waited for them. */
  readonly cancels: readonly string[];
  /** Work that waits for a signal, by its name, longest first. */
  readonly listeners: Readonly<Record<string, readonly Work[]>>;
  /** ENG-16: the result of the last step run that ended a branch with one. */
  readonly branchResult: Json;
  /** When the execution has to be over. */
  readonly deadline: Instant | undefined;
  readonly outcome: Ending | undefined;
  readonly stats: Stats;
}

/** What `playbook.execution.requested` said. */
export interface Request {
  readonly execution_id: string;
  readonly path: string;
  readonly version: string | number | null;
  readonly content_hash: string;
  readonly depth: number;
  readonly parent_execution_id: string | undefined;
  readonly trace_id: string | undefined;
  /** Where in a trace it was asked for, if it was said. */
  readonly traceparent?: string;
  /** Whether spans of it are recorded; absent where nobody would take them. */
  readonly traced?: boolean;
  readonly requested_at: Instant;
  /** Until it is evaluated. */
  readonly payload: Json;
}

export interface Token {
  readonly id: number;
  readonly args: Json;
  /** The step that sent it; undefined for the first. */
  readonly from: string | undefined;
  /** The boundary that sent it, as templates see it. */
  readonly event: JsonMap;
  /** The event that recorded it. */
  readonly parent: string;
}

export interface StepRun {
  readonly run: number;
  readonly step: string;
  readonly args: Json;
  /** The seq of its step.scheduled. */
  readonly scheduled: number;
  /** When the run has to be over. */
  readonly deadline: Instant | undefined;
  readonly body: Body;
}

interface Signal {
  readonly seq: number;
  readonly payload: Json;
  readonly by: string | null;
  readonly at: string;
}

interface Stats {
  readonly step_runs: number;
  readonly skipped: number;
  readonly tasks: number;
  readonly retries: number;
  readonly iterations: number;
  readonly failures: number;
}

interface Ending {
  readonly status: 'success' | 'error' | 'cancelled';
  readonly error: OutcomeError | undefined;
}

/** What the log has to say next because of what it said last. */
export type Owed =
  /** The step has no tool: it is done. */
  | { readonly kind: 'pass'; readonly work: Work }
  /** The loop's items are still to be evaluated. */
  | { readonly kind: 'open'; readonly work: Work }
  /** Nothing of the loop is left to run. */
  | { readonly kind: 'close'; readonly work: Work }
  /** A child is nested too deep: it is not started, and its task gets the error. */
  | { readonly kind: 'resume'; readonly work: Work }
  /** Writes to ctx that others may see. */
  | { readonly kind: 'publish'; readonly run: number; readonly step: string; readonly patch: JsonMap }
  /** Arcs to be evaluated. */
  | { readonly kind: 'route'; readonly boundary: Boundary };

/** The end of a step run, whose arcs are still to be evaluated. */
export interface Boundary {
  readonly name: 'step.done' | 'step.failed' | 'loop.done';
  readonly run: number;
  readonly step: string;
  readonly args: Json;
  readonly event_id: string;
  readonly seq: number;
  readonly timestamp: string;
  readonly payload: JsonMap;
}

export const initialState: ExecutionState = {
  seq: 0,
  phase: 'new',
  request: {
    execution_id: '',
    path: '',
    version: null,
    content_hash: '',
    depth: 0,
    parent_execution_id: undefined,
    trace_id: undefined,
    requested_at: 0,
    payload: null,
  },
  workload: {},
  ctx: {},
  ctxSize: 2,
  results: {},
  tokens: {},
  tokenCount: 0,
  runs: emptyIntMap,
  owed: [],
  paused: false,
  failure: undefined,
  cancelled: undefined,
  signals: {},
  lastInput: undefined,
  cancels: [],
  listeners: {},
  branchResult: null,
  deadline: undefined,
  outcome: undefined,
  stats: { step_runs: 0, skipped: 0, tasks: 0, retries: 0, iterations: 0, failures: 0 },
};

/**
 * The state with some of its parts changed. The parts are listed, not spread: that takes a tenth of the time, and happens
 * several times for every event.
 */
export const withParts = (state: ExecutionState, parts: Partial<ExecutionState>): ExecutionState =>
  Object.assign<ExecutionState, Partial<ExecutionState>>(
    {
      seq: state.seq,
      phase: state.phase,
      request: state.request,
      workload: state.workload,
      ctx: state.ctx,
      ctxSize: state.ctxSize,
      results: state.results,
      tokens: state.tokens,
      tokenCount: state.tokenCount,
      runs: state.runs,
      owed: state.owed,
      paused: state.paused,
      failure: state.failure,
      cancelled: state.cancelled,
      signals: state.signals,
      lastInput: state.lastInput,
      cancels: state.cancels,
      listeners: state.listeners,
      branchResult: state.branchResult,
      deadline: state.deadline,
      outcome: state.outcome,
      stats: state.stats,
    },
    parts,
  );

/** The state with one more of something. */
export function counting(state: ExecutionState, what: keyof Stats): ExecutionState {
  const { step_runs, skipped, tasks, retries, iterations, failures } = state.stats;
  const stats: Record<keyof Stats, number> = { step_runs, skipped, tasks, retries, iterations, failures };
  stats[what] += 1;
  return withParts(state, { stats });
}
