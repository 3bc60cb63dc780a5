import type { ExecutionEvent } from '@noetl/engine';

/** The leases that end with an event. */
export type LeaseEnd =
  /** The work goes on later, under a higher epoch. */
  | { readonly of: 'suspended work'; readonly work: string }
  /** The work is over; its epochs may be forgotten. */
  | { readonly of: 'work'; readonly work: string }
  /** A step run is over, and with it its iterations. */
  | { readonly of: 'run'; readonly run: string }
  | { readonly of: 'execution' };

/** Which leases a log ends in the transaction that appends the event. */
export function leaseEndOf(event: ExecutionEvent): LeaseEnd | undefined {
  switch (event.name) {
    case 'task.waiting':
      return { of: 'suspended work', work: workKeyOf(event) };
    case 'loop.iteration.done':
    case 'loop.iteration.failed':
    case 'step.done':
      return { of: 'work', work: workKeyOf(event) };
    case 'step.failed':
      return { of: 'run', run: workKeyOf(event) };
    case 'workflow.finished':
      return { of: 'execution' };
    default:
      return undefined;
  }
}

/** Whether work is a step run or one of its iterations. */
export const isOfRun = (work: string, run: string): boolean => work === run || work.startsWith(`${run}:`);

const workKeyOf = ({ execution_id, step_run_id = '', iteration_id = step_run_id }: ExecutionEvent): string =>
  iteration_id.slice(execution_id.length + 1);
