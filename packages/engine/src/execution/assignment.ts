import type { Json, JsonMap } from '@noetl/playbook';
import { getInt } from '../int-map.ts';
import type { Outcome } from '../outcome.ts';
import type { PipelineState } from '../pipeline/pipeline-state.ts';
import { bodyAt } from './body.ts';
import { findPipeline } from './evolve-work.ts';
import type { Work } from './ids.ts';
import type { ExecutionState, Request } from './state.ts';

/** What a worker gets with a lease: everything its pipeline reads, as of its scheduling, and where it goes on. */
export interface Assignment {
  readonly work: Work;
  readonly step: string;
  readonly request: Request;
  readonly workload: Json;
  readonly args: Json;
  readonly ctx: JsonMap;
  readonly results: JsonMap;
  /** The loops around, outermost first, each with its list and the index of this iteration. */
  readonly loops: readonly AssignedLoop[];
  readonly pipeline: PipelineState;
  /** Whether the log knows that it was begun, and this attempt of its task. */
  readonly started: boolean;
  readonly taskStarted: boolean;
  /** What the task that waited came to. */
  readonly resumed: Outcome | undefined;
}

export interface AssignedLoop {
  readonly iterator: string;
  readonly items: Json;
  readonly index: number;
  readonly total: number;
}

/** ENG-14: what a worker may lease now. In a pause that is nothing; who holds a lease already goes on. */
export const leasable = (state: ExecutionState, work: Work): Assignment | undefined =>
  state.paused ? undefined : assignmentOf(state, work);

/** Undefined where there is nothing to do any more, or not yet. */
export function assignmentOf(state: ExecutionState, work: Work): Assignment | undefined {
  const run = getInt(state.runs, work.run);
  const pipeline = findPipeline(state, work);
  if (run === undefined || pipeline === undefined) return undefined;
  if (pipeline.phase === 'waiting' || pipeline.phase === 'held') return undefined;
  const loops = work.path.flatMap((index, level) => {
    const loop = bodyAt(run.body, work.path.slice(0, level));
    if (loop?.kind !== 'loop' || loop.plan === undefined) return [];
    const { iterator, items, total } = loop.plan;
    return [{ iterator, items, index, total }];
  });
  return {
    work,
    step: run.step,
    request: state.request,
    workload: state.workload,
    args: run.args,
    ctx: pipeline.ctx,
    results: pipeline.results,
    loops,
    pipeline: pipeline.state,
    started: pipeline.started,
    taskStarted: pipeline.taskStarted,
    resumed: pipeline.resumed,
  };
}
