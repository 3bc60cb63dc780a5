import { type ExecutionEvent, type ExecutionState, evolve, initialState, unpacked } from '@noetl/engine';
import { Violation } from './violation.testing.ts';

/** A log as an outsider reads it: its fold, and what its events say is under way. */
export interface WatchedExecution {
  readonly id: string;
  /** The execution at the end of its line of parents. */
  readonly root: string;
  readonly events: readonly ExecutionEvent[];
  /** The state after each event, folded from its text. */
  stateAt(seq: number): ExecutionState;
  /** What work waits for, by its id. */
  readonly waits: ReadonlyMap<string, Waiting>;
  /** The loops that are not over, by their id. */
  readonly loops: ReadonlyMap<string, OpenLoop>;
  /** Nothing can change it any more. */
  readonly isFinished: boolean;
  readonly isOver: boolean;
  /** The texts of its events. */
  readonly texts: readonly string[];
  /** Folds the text of the next event, and checks that it may follow. */
  take(text: string): ExecutionEvent;
}

interface Waiting {
  readonly for: string;
  readonly name: string | undefined;
  readonly child: string | undefined;
}

interface OpenLoop {
  readonly window: number;
  open: number;
}

export function watchExecution(id: string, rootOf: (parent: string) => string): WatchedExecution {
  const events: ExecutionEvent[] = [];
  const texts: string[] = [];
  const states: ExecutionState[] = [initialState];
  const waits = new Map<string, Waiting>();
  const loops = new Map<string, OpenLoop>();
  const done = new Set<string>();
  let root = id;

  /** Something that comes once. */
  function first(invariant: Violation['invariant'], key: string): void {
    if (done.has(key)) throw new Violation(invariant, `${key} a second time, in event ${events.length} of ${id}`);
    done.add(key);
  }

  function schedule(loop: string, change: number): void {
    const open = loops.get(loop);
    if (open === undefined) return;
    open.open += change;
    if (open.open > open.window) {
      const text = `${open.open} iterations of ${loop} are scheduled, ${open.window} may be, at event ${events.length}`;
      throw new Violation('max_in_flight is never exceeded', text);
    }
  }

  function follow(event: ExecutionEvent): void {
    const { name, step_run_id = '', iteration_id, task_run_id, attempt } = event;
    const work = iteration_id ?? step_run_id;
    switch (event.name) {
      case 'playbook.execution.requested':
        if (event.payload.parent_execution_id !== undefined) root = rootOf(event.payload.parent_execution_id);
        return;
      case 'task.done':
        first('task.done comes once', `task.done of ${task_run_id}, attempt ${attempt}`);
        return;
      case 'task.waiting': {
        const { for: what, child, name: signal } = event.payload;
        waits.set(work, { for: what, name: signal, child: child?.execution_id });
        return;
      }
      case 'task.resumed':
        waits.delete(work);
        return;
      case 'loop.started':
        loops.set(work, { window: event.payload.max_in_flight, open: 0 });
        schedule(work, event.payload.schedules.count);
        return;
      case 'loop.iteration.done':
      case 'loop.iteration.failed': {
        first('loop.done and other boundaries come once', `the end of iteration ${work}`);
        waits.delete(work);
        loops.delete(work);
        const loop = work.slice(0, Math.max(work.lastIndexOf(':'), work.lastIndexOf('.')));
        schedule(loop, (event.payload.schedules?.count ?? 0) - 1);
        if (event.name === 'loop.iteration.failed') drop(event.payload.dropped);
        return;
      }
      case 'playbook.resumed':
        for (const [loop, { count }] of Object.entries(event.payload.schedules)) schedule(`${id}:${loop}`, count);
        return;
      case 'next.evaluated':
        drop('dropped' in event.payload ? event.payload.dropped : undefined);
        return;
      case 'step.done':
      case 'step.failed':
      case 'loop.done':
        first('loop.done and other boundaries come once', `the end of run ${step_run_id}`);
        for (const key of [...waits.keys()]) if (isOf(key, step_run_id)) waits.delete(key);
        for (const key of [...loops.keys()]) if (isOf(key, step_run_id)) loops.delete(key);
        return;
      case 'workflow.finished':
      case 'playbook.processed':
        first('workflow.finished and playbook.processed come once', name);
        waits.clear();
        loops.clear();
        return;
      default:
        return;
    }
  }

  function drop(dropped: readonly string[] | undefined): void {
    for (const key of unpacked(dropped ?? [])) {
      const work = `${id}:${key}`;
      waits.delete(work);
      const loop = work.slice(0, Math.max(work.lastIndexOf(':'), work.lastIndexOf('.')));
      if (loops.has(loop)) schedule(loop, -1);
    }
  }

  function checkEnd(event: ExecutionEvent): void {
    if (!done.has('workflow.finished') || event.name === 'playbook.processed') return;
    throw new Violation('nothing is dispatched after the end', `${event.name} at ${event.seq} of ${id}`);
  }

  return {
    id,
    get root() {
      return root;
    },
    events,
    texts,
    waits,
    loops,
    stateAt: (seq) => states[seq] ?? initialState,
    get isFinished() {
      return done.has('workflow.finished');
    },
    get isOver() {
      return done.has('playbook.processed');
    },
    take(text) {
      const event = JSON.parse(text) as ExecutionEvent;
      if (event.seq !== events.length + 1 || event.event_id !== `${id}:${event.seq}`) {
        throw new Violation('positions have no gaps', `${event.event_id} at position ${events.length + 1} of ${id}`);
      }
      checkEnd(event);
      events.push(event);
      texts.push(text);
      states.push(evolve(states.at(-1) ?? initialState, event));
      follow(event);
      return event;
    },
  };
}

const isOf = (work: string, run: string): boolean => work === run || work.startsWith(`${run}:`);
