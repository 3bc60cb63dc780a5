import type { EventOf, ExecutionEvent } from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';
import { pathOf, runOf } from '../views/work-name.ts';
import { comparableValue } from './comparable-value.ts';
import type { HistoryEvent } from './history.ts';

/** Something that an execution said, and about what: found in another by what it is about, never by an id. */
export interface Comparable {
  readonly about: About;
  /** Without what differs though the same happened. */
  readonly said: JsonMap;
}

export interface About {
  readonly what:
    | 'request'
    | 'workload'
    | 'edits'
    | 'scheduled'
    | 'skipped'
    | 'loop'
    | 'task'
    | 'ctx'
    | 'end'
    | 'arcs'
    | 'cancel'
    | 'result';
  readonly step: string | undefined;
  /** Which run of the step, from 1; of `skipped`, which token that fired nothing. */
  readonly nth: number;
  /** The indexes of the iteration, as in `3.0`; empty outside loops. */
  readonly path: string;
  readonly label: string | undefined;
  readonly visit: number;
  readonly attempt: number;
  /** Which write to ctx of the run, from 1. */
  readonly write: number;
}

/** The same for what is the same in another execution. */
export const keyOf = ({ what, step = '', nth, path, label = '', visit, attempt, write }: About): Json => [
  what,
  step,
  nth,
  path,
  label,
  visit,
  attempt,
  write,
];

/** The step run or iteration it belongs to. */
export const unitOf = ({ what, step = '', nth, path }: About): Json => [
  what === 'skipped' || step === '' ? what : '',
  step,
  nth,
  path,
];

/** Reads a history in its order, and answers with what can be compared. */
export type Comparing = (event: HistoryEvent) => Comparable | undefined;

const NOWHERE: Omit<About, 'what'> = {
  step: undefined,
  nth: 0,
  path: '',
  label: undefined,
  visit: 0,
  attempt: 0,
  write: 0,
};

/** Remembers the step runs, and of work under way what its task was given. */
export function createComparing(): Comparing {
  const runs = new Map<number, { readonly step: string; readonly nth: number; writes: number }>();
  const counts = new Map<string, number>();
  const skips = new Map<string, number>();
  const inputs = new Map<string, Json>();

  const next = (counted: Map<string, number>, step: string): number => {
    const nth = (counted.get(step) ?? 0) + 1;
    counted.set(step, nth);
    return nth;
  };

  function runAt(event: ExecutionEvent, step: string) {
    const number = runOf(event.step_run_id) ?? 0;
    const known = runs.get(number);
    if (known !== undefined) return known;
    const run = { step, nth: next(counts, step), writes: 0 };
    runs.set(number, run);
    return run;
  }

  const work = (event: ExecutionEvent, step: string): Omit<About, 'what'> => ({
    ...NOWHERE,
    step,
    nth: runAt(event, step).nth,
    path: pathOf(event.iteration_id),
  });

  function attempted(event: EventOf<'task.done'>): Comparable {
    const { step, outcome, directive, next: goesOn, set_iter, set_ctx, set_shared } = event.payload;
    const { task_label: label, visit = 1, attempt = 1 } = event;
    const key = workKeyOf(event);
    const input = inputs.get(key);
    inputs.delete(key);
    const said = {
      ...(input === undefined ? {} : { input }),
      ...(outcome === undefined
        ? {}
        : { outcome: { status: outcome.status, result: outcome.result, ...errorOf(outcome) } }),
      directive: directive as unknown as Json,
      next: goesOn as unknown as Json,
      ...(set_iter === undefined ? {} : { set_iter }),
      ...(set_ctx === undefined ? {} : { set_ctx }),
      ...(set_shared === undefined ? {} : { set_shared: set_shared as unknown as Json }),
    };
    return { about: { ...work(event, step), what: 'task', label, visit, attempt }, said };
  }

  function compared({ event, forked }: HistoryEvent): Comparable | undefined {
    switch (event.name) {
      case 'playbook.execution.requested': {
        const { path, edits = {} } = event.payload;
        // What was asked for is part of the workload.
        if (!forked) return { about: { ...NOWHERE, what: 'request' }, said: { path } };
        return Object.keys(edits).length === 0 ? undefined : { about: { ...NOWHERE, what: 'edits' }, said: edits };
      }
      case 'playbook.request.evaluated': {
        const { workload = null } = event.payload;
        return { about: { ...NOWHERE, what: 'workload' }, said: { workload, ...errorOf(event.payload) } };
      }
      case 'step.scheduled': {
        const { step, args } = event.payload;
        return { about: { ...work(event, step), what: 'scheduled' }, said: { args } };
      }
      case 'step.skipped': {
        const { step, reason, rule = null } = event.payload;
        return { about: { ...NOWHERE, what: 'skipped', step, nth: next(skips, step) }, said: { reason, rule } };
      }
      case 'task.started':
        inputs.set(workKeyOf(event), event.payload.input);
        return undefined;
      case 'task.done':
        return attempted(event);
      case 'loop.started': {
        const { step, total, in: items } = event.payload;
        return { about: { ...work(event, step), what: 'loop' }, said: { total, in: items } };
      }
      case 'ctx.patched': {
        const { step, patch } = event.payload;
        const run = runAt(event, step);
        run.writes += 1;
        return { about: { ...work(event, step), what: 'ctx', path: '', write: run.writes }, said: { patch } };
      }
      case 'loop.iteration.done':
      case 'loop.iteration.failed':
      case 'step.done':
      case 'step.failed':
      case 'loop.done': {
        // What it comes to is what its tasks came to, or its iterations.
        const { status, payload } = event;
        inputs.delete(workKeyOf(event));
        return { about: { ...work(event, payload.step), what: 'end' }, said: { status, ...errorOf(payload) } };
      }
      case 'next.evaluated': {
        const { step, arcs } = event.payload;
        const verdicts = arcs.map(({ step: to, verdict, args }) => ({ step: to, verdict, ...(args && { args }) }));
        return { about: { ...work(event, step), what: 'arcs' }, said: { arcs: verdicts } };
      }
      case 'playbook.cancel.requested':
        return { about: { ...NOWHERE, what: 'cancel' }, said: { reason: event.payload.reason } };
      case 'playbook.processed': {
        const { status, result } = event.payload;
        return { about: { ...NOWHERE, what: 'result' }, said: { status, result, ...errorOf(event.payload) } };
      }
      default:
        return undefined;
    }
  }

  return (read) => {
    const found = compared(read);
    return found && { ...found, said: comparableValue(found.said, read.event.execution_id) as JsonMap };
  };
}

const workKeyOf = ({ step_run_id, iteration_id }: ExecutionEvent): string => {
  const id = iteration_id ?? step_run_id ?? '';
  return iteration_id === undefined ? String(runOf(id)) : id.slice(id.lastIndexOf(':', id.lastIndexOf(':') - 1));
};

const errorOf = (payload: object): { readonly error?: Json } => {
  const error = 'error' in payload ? payload.error : undefined;
  return error === undefined || error === null ? {} : { error: error as Json };
};
