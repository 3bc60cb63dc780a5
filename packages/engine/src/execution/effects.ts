import { type Instant, instantOf } from '../instant.ts';
import { getInt, intEntries } from '../int-map.ts';
import { type Pipeline, pipelinesOf, type Wait } from './body.ts';
import type { ExecutionEvent } from './event.ts';
import { findPipeline, workOf } from './evolve-work.ts';
import { unpacked, type Work } from './ids.ts';
import type { Timer } from './input.ts';
import type { ExecutionState } from './state.ts';

/**
 * What must happen in the world because events were appended. Effects are read off the log, not written beside it: who
 * lost them asks `pendingEffects` for those that still matter. Each may happen twice without harm.
 */
export type Effect =
  /** The work may be leased. */
  | { readonly kind: 'dispatch'; readonly work: Work; readonly step: string }
  | { readonly kind: 'timer'; readonly at: Instant; readonly timer: Timer }
  | { readonly kind: 'start-child'; readonly work: Work; readonly child: NonNullable<Wait['child']> }
  | { readonly kind: 'cancel-child'; readonly execution_id: string }
  /** Whoever runs it is told to stop; what it reports is refused. */
  | { readonly kind: 'stop'; readonly run: number | 'all' }
  /** The execution is over: who waits for it may be told. */
  | { readonly kind: 'over' };

/** The effects of an event, given the state after the events it was appended with. */
export function effectsOf(state: ExecutionState, event: ExecutionEvent): readonly Effect[] {
  const work = workOf(event);
  switch (event.name) {
    case 'workflow.started':
      return timers(event.payload.deadline, { of: 'execution' });
    case 'step.scheduled': {
      const deadline = timers(event.payload.deadline, { of: 'step', run: work.run });
      return event.payload.work === 'pipeline' ? [...dispatch(state, [work]), ...deadline] : deadline;
    }
    case 'loop.started':
      return dispatch(state, iterations(work, event.payload.schedules));
    case 'loop.iteration.done':
    case 'loop.iteration.failed': {
      const outer = { run: work.run, path: work.path.slice(0, -1) };
      const freed = event.payload.schedules;
      const cancels = event.name === 'loop.iteration.failed' ? cancelChildren(event.payload.cancels) : [];
      return [...(freed === undefined ? [] : dispatch(state, iterations(outer, freed))), ...cancels];
    }
    case 'task.waiting': {
      // What waits while a failure ends everything around it is gone already.
      if (findPipeline(state, work) === undefined) return [];
      const { until, child } = event.payload;
      const start: Effect[] = child === undefined ? [] : [{ kind: 'start-child', work, child }];
      return [...start, ...timers(until, { of: 'wait', work })];
    }
    case 'task.resumed':
      return [...dispatch(state, [work]), ...cancelChildren(event.payload.cancels)];
    case 'step.failed':
      return [{ kind: 'stop', run: work.run }, ...cancelChildren(event.payload.cancels)];
    case 'next.evaluated':
      return cancelChildren(event.payload.cancels);
    case 'playbook.resumed':
      // Also what was ready before the pause, and was not leased in it (ENG-14).
      return pendingEffects(state).filter(({ kind }) => kind === 'dispatch');
    case 'execution.forked':
      return pendingEffects(state);
    case 'workflow.finished':
      return [{ kind: 'stop', run: 'all' }, ...cancelChildren(event.payload.cancels)];
    case 'playbook.processed':
      return [{ kind: 'over' }];
    default:
      return [];
  }
}

/** Everything that an execution still waits for the world to do. */
export function pendingEffects(state: ExecutionState): readonly Effect[] {
  const effects: Effect[] = [...cancelChildren(state.cancels)];
  if (state.phase === 'running' && state.deadline !== undefined) {
    effects.push({ kind: 'timer', at: state.deadline, timer: { of: 'execution' } });
  }
  for (const [run, { step, deadline, body }] of intEntries(state.runs)) {
    if (deadline !== undefined) effects.push({ kind: 'timer', at: deadline, timer: { of: 'step', run } });
    for (const [work, pipeline] of pipelinesOf(body, { run, path: [] })) {
      effects.push(...pendingOf(work, step, pipeline));
    }
  }
  return effects;
}

/** Work that a worker has begun and not given back: if the worker is gone, it is to be taken over. */
export const runningWork = ({ runs }: ExecutionState): readonly Work[] =>
  [...intEntries(runs)].flatMap(([run, { body }]) =>
    [...pipelinesOf(body, { run, path: [] })].flatMap(([work, { phase }]) => (phase === 'running' ? [work] : [])),
  );

function pendingOf(work: Work, step: string, { phase, wait }: Pipeline): readonly Effect[] {
  if (phase === 'held') return [];
  if (phase !== 'waiting') return [{ kind: 'dispatch', work, step }];
  const timer: Effect[] =
    wait?.until === undefined ? [] : [{ kind: 'timer', at: wait.until, timer: { of: 'wait', work } }];
  return wait?.child === undefined ? timer : [{ kind: 'start-child', work, child: wait.child }, ...timer];
}

/** Only pipelines that are ready: an iteration of an outer loop opens its inner loop instead. */
function dispatch(state: ExecutionState, works: readonly Work[]): readonly Effect[] {
  return works.flatMap((work): readonly Effect[] => {
    const pipeline = findPipeline(state, work);
    if (pipeline?.phase !== 'ready') return [];
    return [{ kind: 'dispatch', work, step: getInt(state.runs, work.run)?.step ?? '' }];
  });
}

const iterations = (
  { run, path }: Work,
  { from, count }: { readonly from: number; readonly count: number },
): readonly Work[] => Array.from({ length: count }, (_, offset) => ({ run, path: [...path, from + offset] }));

const timers = (deadline: string | undefined, timer: Timer): readonly Effect[] =>
  deadline === undefined ? [] : [{ kind: 'timer', at: instantOf(deadline), timer }];

const cancelChildren = (ids: readonly string[] = []): readonly Effect[] =>
  unpacked(ids).map((execution_id) => ({ kind: 'cancel-child', execution_id }));
