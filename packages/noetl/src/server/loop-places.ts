import { type ExecutionEvent, type Plan, type Work, workKey } from '@noetl/engine';

/**
 * Where loops with `exec: local` run: all iterations of such a loop, with those of its inner loops, are done by the worker
 * that took the first of them, as long as it is there.
 */
export interface LoopPlaces {
  /** Whether the worker may take the work; if it may, the loop is that worker's from now on. */
  take(execution: string, plan: Plan, step: string, work: Work, worker: string): boolean;
  /** The worker is gone: its loops may go on elsewhere. */
  leave(worker: string): void;
  /** What is over with the event needs no place any more. */
  after(event: ExecutionEvent): void;
  forget(execution: string): void;
}

export function createLoopPlaces(): LoopPlaces {
  /** By execution, then by the loop: the worker. */
  const executions = new Map<string, Map<string, string>>();

  return {
    take(execution, plan, step, work, worker) {
      if (work.path.length === 0) return true;
      const loop = localLoop(plan, step, work);
      if (loop === undefined) return true;
      const places = executions.get(execution);
      const place = places?.get(loop);
      if (place !== undefined) return place === worker;
      if (places === undefined) executions.set(execution, new Map([[loop, worker]]));
      else places.set(loop, worker);
      return true;
    },
    leave(worker) {
      for (const [execution, places] of executions) {
        for (const [loop, place] of places) if (place === worker) places.delete(loop);
        if (places.size === 0) executions.delete(execution);
      }
    },
    after({ name, execution_id, step_run_id = '', iteration_id }) {
      if ((name !== 'loop.done' && name !== 'step.failed') || iteration_id !== undefined) return;
      const places = executions.get(execution_id);
      if (places === undefined) return;
      const run = step_run_id.slice(step_run_id.lastIndexOf(':') + 1);
      for (const loop of places.keys()) if (loop === run || loop.startsWith(`${run}:`)) places.delete(loop);
      if (places.size === 0) executions.delete(execution_id);
    },
    forget(execution) {
      executions.delete(execution);
    },
  };
}

/** The outermost loop around the work that stays in one place, by the key of the work that it is in. */
function localLoop({ steps }: Plan, step: string, { run, path }: Work): string | undefined {
  let loop = steps.get(step)?.loop;
  for (let level = 0; loop !== undefined && level < path.length; level++, loop = loop.inner) {
    if (loop.exec === 'local') return workKey({ run, path: path.slice(0, level) });
  }
  return undefined;
}
