import { getInt } from '../int-map.ts';
import { visitsOf } from '../pipeline/pipeline-state.ts';
import type { Pipeline } from './body.ts';
import { type Draft, emit } from './draft.ts';
import { findPipeline } from './evolve-work.ts';
import type { Work } from './ids.ts';
import type { ReportInput, WorkerEvent } from './input.ts';
import { endIteration, publish } from './loop.ts';
import { settle } from './settle.ts';

/**
 * What a worker reports of its lease. An event that the log knows already, or that does not follow from it, is left out,
 * so that a report delivered twice changes nothing and a stale one adds nothing.
 */
export function report(draft: Draft, { work, events }: ReportInput): void {
  for (const event of events) {
    const pipeline = findPipeline(draft.state, work);
    const step = getInt(draft.state.runs, work.run)?.step;
    if (pipeline === undefined || step === undefined) return;
    accept(draft, work, step, pipeline, event);
    settle(draft);
  }
}

function accept(draft: Draft, work: Work, step: string, pipeline: Pipeline, event: WorkerEvent): void {
  const { timestamp } = event;
  if (event.name === 'finished') {
    finish(draft, work, step, pipeline, { source: 'worker', timestamp });
    return;
  }
  if (pipeline.state.ended !== undefined) return;
  const task = 'task' in event ? event.task : undefined;
  const about = { source: 'worker', timestamp, work, task, status: 'in_progress' } as const;
  switch (event.name) {
    case 'step.started':
      if (!pipeline.started) emit(draft, event.name, about, { step, ...event.payload });
      return;
    case 'loop.iteration.started':
      if (!pipeline.started) emit(draft, event.name, about, { step, index: work.path.at(-1) ?? 0, ...event.payload });
      return;
    case 'task.started':
      if (!isCurrent(pipeline, event) || pipeline.taskStarted) return;
      emit(draft, event.name, about, { step, ...event.payload });
      return;
    case 'task.done': {
      if (!isCurrent(pipeline, event)) return;
      const { outcome, next } = event.payload;
      // Without an outcome the body did not run: a rule skipped it, or could not be evaluated (TPL-4).
      const unrun = next.kind === 'failed' ? 'error' : 'skipped';
      const status = outcome === undefined ? unrun : outcome.status === 'ok' ? 'success' : 'error';
      emit(draft, event.name, { source: 'worker', timestamp, work, task, status }, { step, ...event.payload });
      publishWrites(draft, work.run);
      return;
    }
    case 'task.waiting':
      if (isCurrent(pipeline, event) && isNewWait(pipeline, event)) waiting(draft, work, step, event);
      return;
  }
}

/** ENG-9: what a task wrote is in the log before the pipeline goes on, however long the decision is already. */
function publishWrites(draft: Draft, run: number): void {
  const owed = draft.state.owed.find((entry) => entry.kind === 'publish' && entry.run === run);
  if (owed?.kind === 'publish') publish(draft, run, owed.step, owed.patch);
}

type TaskEvent = Extract<WorkerEvent, { readonly task: unknown }>;

/** The event is about the attempt that the log expects next. */
function isCurrent({ state, phase }: Pipeline, { task }: TaskEvent): boolean {
  const { label, visit, attempt } = task;
  const runs = phase === 'ready' || phase === 'running';
  return runs && state.label === label && visitsOf(state, label) === visit && state.attempt === attempt;
}

/** An attempt waits once for its turn and once for what its task waits for. */
const isNewWait = ({ waited }: Pipeline, { payload }: Extract<WorkerEvent, { name: 'task.waiting' }>): boolean =>
  payload.for === 'retry' ? waited === 'nothing' : waited !== 'task';

/** ENG-13: a child beyond the depth limit is not named, and so not started. */
function waiting(draft: Draft, work: Work, step: string, event: Extract<WorkerEvent, { name: 'task.waiting' }>): void {
  const { child, ...payload } = event.payload;
  const about = {
    source: 'worker',
    timestamp: event.timestamp,
    work,
    status: 'in_progress',
    task: event.task,
  } as const;
  const tooDeep = child !== undefined && draft.state.request.depth >= draft.plan.limits.childDepth;
  emit(draft, 'task.waiting', about, { step, ...(tooDeep ? payload : event.payload) });
}

/** The pipeline is over: its end is the one that its checkpoints tell. */
function finish(
  draft: Draft,
  work: Work,
  step: string,
  { state }: Pipeline,
  origin: { readonly source: 'worker'; readonly timestamp: string },
): void {
  if (state.ended === undefined) return;
  const end = state.ended.kind === 'done' ? { result: state.prev } : { error: state.ended.error };
  if (work.path.length > 0) endIteration(draft, work, step, end, origin);
  else if ('error' in end) emit(draft, 'step.failed', { ...origin, work, status: 'error' }, { step, error: end.error });
  else emit(draft, 'step.done', { ...origin, work, status: 'success' }, { step, result: end.result });
}
