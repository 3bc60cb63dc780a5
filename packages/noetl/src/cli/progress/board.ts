import { type EventOf, type ExecutionEvent, instantOf, type Payload, unpacked } from '@noetl/engine';
import type { Playbook } from '@noetl/playbook';
import { resumeCommand, signalCommand } from '../proposed-command.ts';
import { createFailures, type Failure } from '../views/failures.ts';
import { visible } from '../views/visible.ts';
import { pathOf, workName } from '../views/work-name.ts';
import {
  countEnded,
  countInnerLoop,
  countScheduled,
  endedIn,
  isWorthTelling,
  type LoopCount,
  newLoop,
} from './loop-count.ts';
import type { Note, NoteBody, Retry, Wait } from './note.ts';

/** What is under way now, and what was. */
export interface Board {
  /** By id, oldest first. */
  readonly active: ReadonlyMap<string, ActiveRun>;
  readonly counts: Readonly<Counts>;
  /** Takes in an event; answers with what there is to say about it. The same little work for every event. */
  take(event: ExecutionEvent, now: number): readonly Note[];
  /** Takes in what happened before anybody looked: there is nothing to say about it, and it has no pace. */
  recall(events: readonly ExecutionEvent[], now: number): void;
}

export interface ActiveRun {
  readonly step: string;
  /** With the number of the run, from the second run of a step on. */
  readonly name: string;
  /** When it was scheduled. */
  readonly since: number;
  started: boolean;
  /** The task that runs, outside loops. */
  task: string | undefined;
  attempt: number;
  retries: number;
  loop: LoopCount | undefined;
  /** By work: pipelines that stand still. */
  readonly waits: Map<string, Wait>;
  /** Waits so far, without those for a retry. */
  waited: number;
}

interface Counts {
  done: number;
  failed: number;
  skipped: number;
  startedAt: number | undefined;
  paused: boolean;
}

/** Of every loop so many iterations are told about one by one: the first that retry, wait or fail. */
const ITERATIONS_TOLD = 5;
const NOTHING: readonly Note[] = [];

/** `data` is the data folder as the user named it, for commands that are proposed. */
export function createBoard(playbook: Playbook, data: string | undefined): Board {
  const steps = new Map(playbook.workflow.map((step) => [step.name, step]));
  const active = new Map<string, ActiveRun>();
  const runsOf = new Map<string, number>();
  const failures = createFailures(0);
  const counts: Counts = { done: 0, failed: 0, skipped: 0, startedAt: undefined, paused: false };

  /** The run of an event. One that is not known was taken over from the origin of a fork. */
  function runOf(event: ExecutionEvent, step: string): ActiveRun {
    const id = event.step_run_id ?? '';
    const known = active.get(id);
    if (known !== undefined) return known;
    const nth = (runsOf.get(step) ?? 0) + 1;
    runsOf.set(step, nth);
    const name = nth === 1 ? workName(step) : `${workName(step)}#${nth}`;
    const run = {
      step,
      name,
      since: instantOf(event.timestamp),
      started: false,
      task: undefined,
      attempt: 1,
      retries: 0,
      loop: undefined,
      waits: new Map(),
      waited: 0,
    };
    active.set(id, run);
    return run;
  }

  const failureName = ({ name }: ActiveRun, { path, label }: Failure): string => `${name}${workName('', path, label)}`;

  const nameOf = (run: ActiveRun, { iteration_id, task_label }: ExecutionEvent): string =>
    `${run.name}${workName('', pathOf(iteration_id), task_label)}`;

  /** Of the iterations of a loop only the first are told about one by one. */
  function tell(event: ExecutionEvent, run: ActiveRun, nth: number, body: NoteBody): readonly Note[] {
    const at = event.timestamp;
    if (event.iteration_id === undefined || nth <= ITERATIONS_TOLD) return [{ at, name: nameOf(run, event), ...body }];
    return nth === ITERATIONS_TOLD + 1 ? [{ at, name: run.name, kind: 'hushed', what: body.kind }] : NOTHING;
  }

  function attempted(event: EventOf<'task.done'>): readonly Note[] {
    const { step, outcome, directive, next } = event.payload;
    const run = runOf(event, step);
    const { attempt = 1, task_label: label } = event;
    if (run.waits.size > 0) run.waits.delete(workIdOf(event));
    if (next.kind !== 'retry') return NOTHING;
    run.retries += 1;
    const rules = steps.get(step)?.tasks.find((task) => task.label === label)?.policy?.rules;
    const of = typeof directive.rule === 'number' ? rules?.[directive.rule]?.then.attempts : undefined;
    const retry: Retry = { attempt, of, seconds: next.seconds, error: outcome?.error };
    const until = instantOf(event.timestamp) + next.seconds * 1000;
    run.waits.set(workIdOf(event), { for: 'retry', until, retry, label, path: pathOf(event.iteration_id) });
    return tell(event, run, run.retries, { kind: 'retry', retry });
  }

  function waiting(event: EventOf<'task.waiting'>): readonly Note[] {
    const wait = waitOf(event, data);
    // The retry was told when its attempt failed.
    if (wait === undefined) return NOTHING;
    const run = runOf(event, event.payload.step);
    run.waits.set(workIdOf(event), wait);
    run.waited += 1;
    return tell(event, run, run.waited, { kind: 'waiting', wait });
  }

  function resumed(event: EventOf<'task.resumed'>): readonly Note[] {
    const run = runOf(event, event.payload.step);
    const wait = run.waits.get(workIdOf(event));
    run.waits.delete(workIdOf(event));
    if (wait === undefined || wait.for === 'retry') return NOTHING;
    return tell(event, run, run.waited, { kind: 'resumed', by: event.payload.by });
  }

  function loopStarted(event: EventOf<'loop.started'>, now: number): readonly Note[] {
    const { step, total, nested, schedules } = event.payload;
    const run = runOf(event, step);
    run.started = true;
    if (event.iteration_id !== undefined) {
      if (run.loop !== undefined) countInnerLoop(run.loop, total, schedules.count);
      return NOTHING;
    }
    run.loop = newLoop(total, nested, now);
    countScheduled(run.loop, false, schedules.count);
    return [{ at: event.timestamp, name: run.name, kind: 'loop', loop: event.payload }];
  }

  function iterationEnded(event: IterationEnd, now: number): readonly Note[] {
    const { step, schedules } = event.payload;
    const run = runOf(event, step);
    const { loop, waits } = run;
    if (waits.size > 0) waits.delete(workIdOf(event));
    const failure = event.name === 'loop.iteration.failed' ? failures.take(event) : undefined;
    if (loop === undefined) return NOTHING;
    countEnded(loop, isInner(event), failure === undefined);
    countScheduled(loop, isInner(event), schedules?.count ?? 0);
    if (event.name === 'loop.iteration.failed') drop(event, event.payload.dropped);
    const notes = failure === undefined ? NOTHING : iterationFailed(event, run, loop, failure);
    if (!isWorthTelling(loop, now)) return notes;
    loop.told = { at: now, ended: loop.ok + loop.failed };
    return [...notes, { at: event.timestamp, name: run.name, kind: 'progress', loop }];
  }

  function iterationFailed(event: IterationEnd, run: ActiveRun, loop: LoopCount, failure: Failure): readonly Note[] {
    const nth = loop.failed + (loop.inner?.failed ?? 0);
    const notes = tell(event, run, nth, { kind: 'failed', failure, ms: undefined });
    return notes.map((note) => (note.kind === 'failed' ? { ...note, name: failureName(run, failure) } : note));
  }

  /** Work that had not begun or waits, and ends with something else. */
  function drop({ execution_id }: ExecutionEvent, dropped: readonly string[] = []): void {
    for (const key of unpacked(dropped)) {
      const [number = '', path] = key.split(':');
      const id = `${execution_id}:${number}`;
      const run = active.get(id);
      run?.waits.delete(`${execution_id}:${key}`);
      if (path === undefined) active.delete(id);
      else if (run?.loop !== undefined) countScheduled(run.loop, path.includes('.'), -1);
    }
  }

  function ended(event: EventOf<'step.done' | 'loop.done'>): readonly Note[] {
    const run = runOf(event, event.payload.step);
    failures.take(event);
    active.delete(event.step_run_id ?? '');
    counts.done += 1;
    const stats = event.name === 'loop.done' ? event.payload.stats : undefined;
    const ms = instantOf(event.timestamp) - run.since;
    return [{ at: event.timestamp, name: run.name, kind: 'done', ms, retries: run.retries, stats }];
  }

  function stepFailed(event: EventOf<'step.failed'>): readonly Note[] {
    const run = runOf(event, event.payload.step);
    const failure = failures.take(event);
    active.delete(event.step_run_id ?? '');
    counts.failed += 1;
    drop(event, event.payload.dropped);
    if (failure === undefined) return NOTHING;
    const ms = instantOf(event.timestamp) - run.since;
    // The iteration was told; its step fails because of it.
    if (failure.path !== '') {
      return [{ at: event.timestamp, name: run.name, kind: 'loop-failed', cause: failureName(run, failure), ms }];
    }
    return [{ at: event.timestamp, name: failureName(run, failure), kind: 'failed', failure, ms }];
  }

  function routed(event: EventOf<'next.evaluated'>): readonly Note[] {
    const { step, boundary, arcs, error } = event.payload;
    const failure = failures.take(event);
    drop(event, event.payload.dropped);
    const about = { at: event.timestamp, name: workName(step) };
    if (failure !== undefined) return [{ ...about, kind: 'failed', failure, ms: undefined }];
    if (boundary.name !== 'step.failed' || error !== undefined) return NOTHING;
    const taken = arcs.filter(({ verdict }) => verdict === 'matched').map((arc) => arc.step);
    return [{ ...about, kind: 'handled', steps: taken }];
  }

  function controlled(event: EventOf<'playbook.paused' | 'playbook.resumed' | 'playbook.cancel.requested'>): Note[] {
    const about = { at: event.timestamp, name: visible(playbook.metadata.path), kind: 'control' } as const;
    if (event.name === 'playbook.resumed') {
      counts.paused = false;
      for (const [key, { count }] of Object.entries(event.payload.schedules)) {
        const [number = '', path] = key.split(':');
        const loop = active.get(`${event.execution_id}:${number}`)?.loop;
        if (loop !== undefined) countScheduled(loop, path !== undefined, count);
      }
      return [{ ...about, what: 'resumed', reason: event.payload.reason ?? null }];
    }
    const what = event.name === 'playbook.paused' ? 'paused' : 'cancelled';
    counts.paused = what === 'paused';
    const lift = what === 'paused' ? { lift: resumeCommand(event.execution_id, data) } : {};
    return [{ ...about, what, reason: event.payload.reason, ...lift }];
  }

  function take(event: ExecutionEvent, now: number): readonly Note[] {
    const at = event.timestamp;
    switch (event.name) {
      case 'playbook.execution.requested': {
        const { path, origin } = event.payload;
        counts.startedAt = instantOf(at);
        return [{ at, name: visible(path), kind: 'requested', execution: event.execution_id, origin }];
      }
      case 'step.scheduled':
        return [{ at, name: runOf(event, event.payload.step).name, kind: 'scheduled' }];
      case 'step.skipped': {
        const { step, reason, when } = event.payload;
        counts.skipped += 1;
        return [{ at, name: workName(step), kind: 'skipped', reason, when }];
      }
      case 'step.started':
        runOf(event, event.payload.step).started = true;
        return NOTHING;
      case 'task.started': {
        const run = runOf(event, event.payload.step);
        if (run.waits.size > 0) run.waits.delete(workIdOf(event));
        if (event.iteration_id !== undefined) return NOTHING;
        run.task = event.task_label;
        run.attempt = event.attempt ?? 1;
        return NOTHING;
      }
      case 'task.done':
        failures.take(event);
        return attempted(event);
      case 'task.waiting':
        return waiting(event);
      case 'task.resumed':
        return resumed(event);
      case 'loop.started':
        return loopStarted(event, now);
      case 'loop.iteration.done':
        failures.take(event);
        return iterationEnded(event, now);
      case 'loop.iteration.failed':
        return iterationEnded(event, now);
      case 'step.done':
      case 'loop.done':
        return ended(event);
      case 'step.failed':
        return stepFailed(event);
      case 'next.evaluated':
        return routed(event);
      case 'signal.received':
        return [{ at, name: visible(event.payload.name), kind: 'signal', by: event.payload.by }];
      case 'playbook.paused':
      case 'playbook.resumed':
      case 'playbook.cancel.requested':
        return controlled(event);
      case 'workflow.finished':
        active.clear();
        return NOTHING;
      case 'playbook.processed':
        return [{ at, name: visible(playbook.metadata.path), kind: 'ended', end: event.payload }];
      default:
        return NOTHING;
    }
  }

  return {
    active,
    counts,
    take,
    recall(events, now) {
      for (const event of events) take(event, now);
      for (const { loop } of active.values()) loop?.meter.restart(endedIn(loop), now);
    },
  };
}

type IterationEnd = EventOf<'loop.iteration.done' | 'loop.iteration.failed'>;

const workIdOf = ({ iteration_id, step_run_id = '' }: ExecutionEvent): string => iteration_id ?? step_run_id;

const isInner = ({ iteration_id }: ExecutionEvent): boolean => pathOf(iteration_id).includes('.');

export function waitOf(event: EventOf<'task.waiting'>, data: string | undefined): Wait | undefined {
  const { for: reason, until: limit, name = '', child }: Payload<'task.waiting'> = event.payload;
  const until = limit === undefined ? undefined : instantOf(limit);
  const about = { label: event.task_label, path: pathOf(event.iteration_id) };
  if (reason === 'retry') return undefined;
  if (reason === 'signal' || reason === 'approval') {
    return { ...about, for: reason, name, answer: signalCommand(event.execution_id, name, data), until };
  }
  if (reason === 'child') {
    const { execution_id = '', path = '', wait = true } = child ?? {};
    return { ...about, for: 'child', child: execution_id, playbook: path, awaited: wait, until };
  }
  return { ...about, for: 'time', until: until ?? instantOf(event.timestamp) };
}
