import type { Json, JsonMap } from '@noetl/playbook';
import type { Instant } from '../instant.ts';
import { getInt, type IntMap, intEntries, removeInt, setInt } from '../int-map.ts';
import type { Outcome, OutcomeError } from '../outcome.ts';
import type { PipelineState } from '../pipeline/pipeline-state.ts';
import type { ManifestSource } from '../result-reference.ts';
import type { SharedFolds } from '../shared-write.ts';
import type { Work } from './ids.ts';

/** What a step run or an iteration does: nothing, a pipeline on a worker, or a loop whose iterations have bodies again. */
export type Body = { readonly kind: 'none' } | Pipeline | Loop;

/**
 * The server's view of a pipeline.
 *
 *   phase    meaning                                   next
 *   ready    may be leased (a lease may exist already) running, with the first report
 *   held     would be ready, but the execution is paused   ready, with playbook.resumed
 *   running  a worker has reported                     waiting, or the end
 *   waiting  holds no lease: retry, wait, child        ready, with task.resumed
 */
export interface Pipeline {
  readonly kind: 'pipeline';
  readonly phase: 'ready' | 'held' | 'running' | 'waiting';
  /** ENG-9: ctx and results as of its scheduling. */
  readonly ctx: JsonMap;
  readonly results: JsonMap;
  readonly state: PipelineState;
  /** Whether step.started (loop.iteration.started) and task.started of this attempt are in the log. */
  readonly started: boolean;
  readonly taskStarted: boolean;
  /** What this attempt has waited for already: its turn after a retry, and what its task waits for. */
  readonly waited: 'nothing' | 'retry' | 'task';
  readonly wait: Wait | undefined;
  /** What a wait came to: the outcome of the task, for the worker that goes on. */
  readonly resumed: Outcome | undefined;
  /** What set_shared of its tasks contributed so far, in their order. */
  readonly shared: SharedFolds;
}

export interface Wait {
  readonly for: 'retry' | 'delay' | 'until' | 'signal' | 'approval' | 'child';
  readonly until: Instant | undefined;
  readonly timesOut: boolean;
  readonly name: string | undefined;
  /** What to ask of the person who answers. */
  readonly form: Json | undefined;
  readonly child: Child | undefined;
}

interface Child {
  readonly execution_id: string;
  readonly path: string;
  readonly version?: Json;
  readonly payload: Json;
  readonly wait: boolean;
}

export interface Loop {
  readonly kind: 'loop';
  /** Undefined until loop.started. */
  readonly plan: LoopPlan | undefined;
  /** The index that is scheduled next; those before it are in flight or over. */
  readonly next: number;
  readonly inFlight: IntMap<Body>;
  readonly ok: number;
  /** Failed indexes, 32 to a number. */
  readonly failed: IntMap<number>;
  readonly failures: number;
  /** Results so far; undefined when they are too large for an event and only a manifest can name them. */
  readonly results: IntMap<Json> | undefined;
  readonly resultSize: number;
  /** Logs that hold iterations of this loop beside its own: those it was forked from. */
  readonly sources: readonly ManifestSource[];
  /** Why no iteration starts any more. */
  readonly stopping: OutcomeError | undefined;
  /** Writes of ended parallel iterations, published when the loop ends. */
  readonly pending: Readonly<Record<string, PendingWrite>>;
  /** Writes inside this loop that its own iteration of the outer loop sees. */
  readonly overlay: JsonMap;
  /** Contributions of set_shared, folded up to the first iteration that has not ended. */
  readonly shared: SharedFolds;
  /** Those of iterations that ended early, by index. */
  readonly early: IntMap<SharedFolds>;
}

/** What `loop.started` recorded. */
interface LoopPlan {
  readonly iterator: string;
  readonly items: Json;
  readonly total: number;
  readonly mode: 'sequential' | 'parallel';
  readonly maxInFlight: number;
  readonly failure: 'fail_fast' | 'best_effort';
  readonly nested: boolean;
  readonly firstTask: string;
}

/** A key that two iterations wrote differently is a conflict (ENG-9). */
export interface PendingWrite {
  readonly value: Json;
  /** Of the two one stands behind a reference: whether they are the same is known when it is loaded. */
  readonly other?: Json;
  readonly conflict: boolean;
}

export function bodyAt(body: Body, path: readonly number[]): Body | undefined {
  let found: Body | undefined = body;
  for (const index of path) {
    if (found?.kind !== 'loop') return undefined;
    found = getInt(found.inFlight, index);
  }
  return found;
}

/** The body with the one at the path replaced; undefined takes it out of its loop. */
export function withBodyAt(
  body: Body,
  path: readonly number[],
  replacement: Body | undefined,
  level = 0,
): Body | undefined {
  const index = path[level];
  if (index === undefined) return replacement;
  if (body.kind !== 'loop') return body;
  const inner = getInt(body.inFlight, index);
  if (inner === undefined) return body;
  const changed = withBodyAt(inner, path, replacement, level + 1);
  if (changed === inner) return body;
  const inFlight = changed === undefined ? removeInt(body.inFlight, index) : setInt(body.inFlight, index, changed);
  return withLoopParts(body, { inFlight });
}

/** Listed, not spread, as in `withParts`. */
export const withPipelineParts = (pipeline: Pipeline, parts: Partial<Pipeline>): Pipeline =>
  Object.assign<Pipeline, Partial<Pipeline>>(
    {
      kind: 'pipeline',
      phase: pipeline.phase,
      ctx: pipeline.ctx,
      results: pipeline.results,
      state: pipeline.state,
      started: pipeline.started,
      taskStarted: pipeline.taskStarted,
      waited: pipeline.waited,
      wait: pipeline.wait,
      resumed: pipeline.resumed,
      shared: pipeline.shared,
    },
    parts,
  );

/** Listed, not spread, as in `withParts`. */
export const withLoopParts = (loop: Loop, parts: Partial<Loop>): Loop =>
  Object.assign<Loop, Partial<Loop>>(
    {
      kind: 'loop',
      plan: loop.plan,
      next: loop.next,
      inFlight: loop.inFlight,
      ok: loop.ok,
      failed: loop.failed,
      failures: loop.failures,
      results: loop.results,
      resultSize: loop.resultSize,
      sources: loop.sources,
      stopping: loop.stopping,
      pending: loop.pending,
      overlay: loop.overlay,
      shared: loop.shared,
      early: loop.early,
    },
    parts,
  );

/** Every pipeline below, with its place. */
export function* pipelinesOf(body: Body, work: Work): Generator<readonly [Work, Pipeline]> {
  if (body.kind === 'pipeline') yield [work, body];
  if (body.kind !== 'loop') return;
  for (const [index, inner] of intEntries(body.inFlight)) {
    yield* pipelinesOf(inner, { run: work.run, path: [...work.path, index] });
  }
}

/** Every loop below and itself, outer before inner, with its place. */
export function* loopsOf(body: Body, work: Work): Generator<readonly [Work, Loop]> {
  if (body.kind !== 'loop') return;
  yield [work, body];
  if (body.plan?.nested !== true) return;
  for (const [index, inner] of intEntries(body.inFlight)) {
    yield* loopsOf(inner, { run: work.run, path: [...work.path, index] });
  }
}
