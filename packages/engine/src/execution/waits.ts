import { type Instant, instantOf } from '../instant.ts';
import { getInt, intEntries } from '../int-map.ts';
import { failure, type Outcome } from '../outcome.ts';
import { visitsOf } from '../pipeline/pipeline-state.ts';
import { type Pipeline, pipelinesOf } from './body.ts';
import { type Draft, emit } from './draft.ts';
import { childrenOf } from './drain.ts';
import { findPipeline } from './evolve-work.ts';
import { finishWorkflow } from './finish.ts';
import type { Work } from './ids.ts';
import type { ChildInput, Timer } from './input.ts';
import type { Payload } from './payloads.ts';

/** A timer is due. One that no longer means anything, or comes too early, is left alone. */
export function timerDue(draft: Draft, timer: Timer): void {
  const { state, input } = draft;
  if (timer.of === 'execution') {
    if (state.phase !== 'running' || state.deadline === undefined || state.deadline > input.at) return;
    finishWorkflow(
      draft,
      'error',
      failure('timeout.execution', 'the execution took longer than its execution_timeout.'),
    );
  } else if (timer.of === 'step') {
    stepTimeout(draft, timer.run);
  } else {
    waitOver(draft, timer.work);
  }
}

/** The whole run ends, whatever of it still runs; its worker is fenced off. */
function stepTimeout(draft: Draft, run: number): void {
  const stepRun = getInt(draft.state.runs, run);
  if (stepRun?.deadline === undefined || stepRun.deadline > draft.input.at) return;
  const { step } = stepRun;
  const cancels = childrenOf(draft.state, (work) => work.run === run);
  const error = failure('timeout.step', `the step '${step}' took longer than its step_timeout.`);
  const payload = { step, error, ...(cancels.length === 0 ? {} : { cancels }) };
  emit(draft, 'step.failed', { work: { run, path: [] }, status: 'error' }, payload);
}

/** ENG-14: timers that became due while the execution was paused. */
export function overdueWaits(draft: Draft): void {
  for (const [run, { body }] of intEntries(draft.state.runs)) {
    for (const [work] of pipelinesOf(body, { run, path: [] })) waitOver(draft, work);
  }
}

function waitOver(draft: Draft, work: Work): void {
  const pipeline = findPipeline(draft.state, work);
  const wait = pipeline?.wait;
  if (pipeline === undefined || wait?.until === undefined || wait.until > draft.input.at) return;
  // ENG-14: timeouts keep running in a pause, timers fire when it is over.
  if (draft.state.paused && !wait.timesOut) return;
  if (wait.for === 'retry') resume(draft, work, pipeline, { by: 'timer' });
  else if (!wait.timesOut)
    resume(draft, work, pipeline, { by: 'timer', outcome: ok(draft, pipeline, { at: draft.now }) });
  else {
    const awaited = wait.child === undefined ? `the ${wait.for} '${wait.name ?? ''}'` : 'a child execution';
    const outcome = failed(draft, pipeline, 'timeout', `waiting for ${awaited} took longer than its timeout.`, true);
    const cancels = wait.child === undefined ? {} : { cancels: [wait.child.execution_id] };
    resume(draft, work, pipeline, { by: 'timeout', outcome, ...cancels });
  }
}

/** A child execution that a task waits for is over. */
export function childOver(draft: Draft, { work, execution_id, outcome }: ChildInput): void {
  const pipeline = findPipeline(draft.state, work);
  if (pipeline?.wait?.child?.execution_id === execution_id) resume(draft, work, pipeline, { by: 'child', outcome });
}

/** ENG-13: a child that would be nested too deep is not started; its task gets the error. */
export function childRefused(draft: Draft, work: Work): void {
  const pipeline = findPipeline(draft.state, work);
  if (pipeline === undefined) return;
  const message = `executions are nested ${draft.plan.limits.childDepth} deep, which is the limit.`;
  resume(draft, work, pipeline, { by: 'child', outcome: failed(draft, pipeline, 'limit.child_depth', message) });
}

/** A signal that was kept, and a task that waits for it, meet; false if there are none. */
export function deliverSignal(draft: Draft): boolean {
  const { listeners, signals } = draft.state;
  for (const [name, works] of Object.entries(listeners)) {
    const signal = Object.hasOwn(signals, name) ? signals[name]?.[0] : undefined;
    const [work] = works;
    const pipeline = work === undefined ? undefined : findPipeline(draft.state, work);
    if (signal === undefined || work === undefined || pipeline === undefined) continue;
    const { payload, by, at } = signal;
    // Too late is too late, also where nobody was there to notice that the time was up.
    if (isTooLate(draft, pipeline, instantOf(at))) {
      waitOver(draft, work);
      return true;
    }
    resume(draft, work, pipeline, {
      by: 'signal',
      signal: signal.seq,
      outcome: ok(draft, pipeline, { payload, by, at }),
    });
    return true;
  }
  return false;
}

const isTooLate = ({ input }: Draft, { wait }: Pipeline, at: Instant): boolean =>
  wait?.timesOut === true && wait.until !== undefined && wait.until <= Math.min(at, input.at);

function resume(
  draft: Draft,
  work: Work,
  pipeline: Pipeline,
  how: Omit<Payload<'task.resumed'>, 'step' | 'held'>,
): void {
  const step = getInt(draft.state.runs, work.run)?.step ?? '';
  const { label, attempt } = pipeline.state;
  const task = { label, visit: visitsOf(pipeline.state, label), attempt };
  const held = draft.state.paused ? { held: true } : {};
  const status = how.outcome?.status === 'error' ? 'error' : 'in_progress';
  const outcome = how.outcome === undefined ? {} : { outcome: ofAttempt(draft, attempt, how.outcome) };
  emit(draft, 'task.resumed', { work, task, status }, { step, ...how, ...outcome, ...held });
}

/** TOOL-1: who answers a wait need not know which attempt waits, and in which trace. */
function ofAttempt({ state: { request } }: Draft, attempt: number, outcome: Outcome): Outcome {
  const trace = request.trace_id === undefined ? {} : { trace_id: request.trace_id };
  return { ...outcome, meta: { ...outcome.meta, attempt, ...trace } };
}

const ok = ({ now }: Draft, { state }: Pipeline, result: Outcome['result']): Outcome => ({
  status: 'ok',
  result,
  meta: { attempt: state.attempt, duration_ms: 0, ts: now },
});

const failed = (draft: Draft, pipeline: Pipeline, kind: string, message: string, retryable = false): Outcome => ({
  ...ok(draft, pipeline, null),
  status: 'error',
  error: { ...failure(kind, message), retryable },
});
