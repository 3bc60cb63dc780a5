import type { ExecutionEvent, OutcomeError } from '@noetl/engine';
import { pathOf, runOf } from './work-name.ts';

/** What failed, as exactly as the log says it. */
export interface Failure {
  readonly seq: number;
  readonly at: string;
  /** `request` and `execution` have no step: a workload that cannot be made, a timeout of the whole, a cancel. */
  readonly kind: 'request' | 'iteration' | 'step' | 'router' | 'execution';
  readonly step: string | undefined;
  readonly run: number | undefined;
  /** Of an iteration its indexes, as in `3.0`; otherwise empty. */
  readonly path: string;
  readonly label: string | undefined;
  readonly attempt: number | undefined;
  /** The index of the arc whose condition could not be evaluated. */
  readonly arc: number | undefined;
  readonly error: OutcomeError;
  /** The attempts of the task that failed, the last one included; of many the newest. */
  readonly tries: readonly FailedTry[];
}

interface FailedTry {
  readonly label: string | undefined;
  readonly visit: number;
  readonly attempt: number;
  readonly error: OutcomeError;
}

export interface FailureReport {
  /** In the order of the log: all of steps and of the execution up to a limit, and the first iterations of each loop. */
  readonly listed: readonly (Failure & { readonly handledBy: readonly string[] })[];
  readonly count: number;
  /** The one that ended the execution. */
  readonly ending: Failure | undefined;
}

export interface Failures {
  /** The failure that the event completes. */
  take(event: ExecutionEvent): Failure | undefined;
  report(): FailureReport;
}

const TRIES = 5;
const ITERATIONS_LISTED = 3;

/** Finds failures in a log. Costs nothing for what goes well; remembers what failed and has not ended yet. */
export function createFailures(limit = 50): Failures {
  /** By work: the failed attempts of the visit under way. */
  const tries = new Map<string, readonly FailedTry[]>();
  /** By the work that a loop is: the first of its iterations that failed. */
  const causes = new Map<string, { readonly failure: Failure; readonly count: number }>();
  const listed: Failure[] = [];
  const handledBy = new Map<number | undefined, readonly string[]>();
  let count = 0;
  let ending: Failure | undefined;
  let newest: Failure | undefined;

  const list = (failure: Failure): Failure => {
    count += 1;
    if (listed.length < limit) listed.push(failure);
    return failure;
  };

  function attempted(event: ExecutionEvent & { readonly name: 'task.done' }): void {
    const { outcome, next } = event.payload;
    const work = workIdOf(event);
    const error = next.kind === 'failed' ? next.error : outcome?.error;
    if (error === undefined || next.kind === 'done' || next.kind === 'task') {
      if (tries.size > 0) tries.delete(work);
      return;
    }
    const { task_label: label, visit = 1, attempt = 1 } = event;
    const before = (tries.get(work) ?? []).filter((one) => one.label === label && one.visit === visit);
    tries.set(work, [...before, { label, visit, attempt, error }].slice(-TRIES));
  }

  /** A loop fails with the error of an iteration: then what failed is that iteration. */
  function failed(event: ExecutionEvent, kind: Failure['kind'], step: string, error: OutcomeError): Failure {
    const work = workIdOf(event);
    const own = tries.get(work) ?? [];
    const cause = causes.get(work)?.failure;
    tries.delete(work);
    causes.delete(work);
    const { seq, timestamp: at } = event;
    if (own.length === 0 && cause !== undefined && sameError(cause.error, error)) return { ...cause, seq, at, kind };
    const last = own.at(-1);
    const { label, attempt } = last !== undefined && sameError(last.error, error) ? last : NO_TASK;
    const about = { step, run: runOf(event.step_run_id), path: pathOf(event.iteration_id) };
    return { seq, at, kind, ...about, label, attempt, arc: undefined, error, tries: label === undefined ? [] : own };
  }

  function iterationFailed(event: ExecutionEvent & { readonly name: 'loop.iteration.failed' }): Failure {
    const failure = failed(event, 'iteration', event.payload.step, event.payload.error);
    const loop = loopAround(workIdOf(event));
    const known = causes.get(loop);
    causes.set(loop, { failure: known?.failure ?? failure, count: (known?.count ?? 0) + 1 });
    if ((known?.count ?? 0) < ITERATIONS_LISTED) return list(failure);
    count += 1;
    return failure;
  }

  function take(event: ExecutionEvent): Failure | undefined {
    switch (event.name) {
      case 'task.done':
        attempted(event);
        return undefined;
      case 'loop.iteration.failed':
        return iterationFailed(event);
      case 'loop.iteration.done':
      case 'loop.done':
        if (causes.size > 0) causes.delete(workIdOf(event));
        return undefined;
      case 'step.failed': {
        newest = list(failed(event, 'step', event.payload.step, event.payload.error));
        if (event.payload.fatal === true) ending ??= newest;
        return newest;
      }
      case 'next.evaluated': {
        const { step, arcs, boundary, error } = event.payload;
        const sent = arcs.filter(({ verdict }) => verdict === 'matched').map((arc) => arc.step);
        const run = runOf(event.step_run_id);
        if (error === undefined) {
          if (boundary.name === 'step.failed' && handledBy.size < limit) handledBy.set(run, sent);
          return undefined;
        }
        const arc = arcs.findIndex(({ verdict }) => verdict === 'error');
        if (arc < 0) {
          ending ??= newest?.run === run ? newest : bare(event, 'router', error, step);
          return undefined;
        }
        const failure = { ...bare(event, 'router', error, step), arc };
        ending ??= failure;
        return list(failure);
      }
      case 'playbook.request.evaluated':
        if (event.payload.error === undefined) return undefined;
        ending ??= bare(event, 'request', event.payload.error);
        return list(ending);
      case 'workflow.finished': {
        if (event.payload.error === undefined || ending !== undefined) return undefined;
        ending = bare(event, 'execution', event.payload.error);
        return list(ending);
      }
      default:
        return undefined;
    }
  }

  const handlersOf = ({ kind, run }: Failure): readonly string[] => (kind === 'step' && handledBy.get(run)) || [];

  return {
    take,
    report: () => ({
      listed: listed.map((failure) => ({ ...failure, handledBy: handlersOf(failure) })),
      count,
      ending,
    }),
  };
}

const NO_TASK = { label: undefined, attempt: undefined };

const workIdOf = ({ iteration_id, step_run_id = '' }: ExecutionEvent): string => iteration_id ?? step_run_id;

/** `e:2:0.3` is in the loop `e:2:0`, and `e:2:0` in `e:2`. */
const loopAround = (work: string): string => work.slice(0, Math.max(work.lastIndexOf('.'), work.lastIndexOf(':')));

const sameError = (a: OutcomeError, b: OutcomeError): boolean => a.kind === b.kind && a.message === b.message;

const bare = (event: ExecutionEvent, kind: Failure['kind'], error: OutcomeError, step?: string): Failure => ({
  seq: event.seq,
  at: event.timestamp,
  kind,
  step,
  run: runOf(event.step_run_id),
  path: '',
  label: undefined,
  attempt: undefined,
  arc: undefined,
  error,
  tries: [],
});
