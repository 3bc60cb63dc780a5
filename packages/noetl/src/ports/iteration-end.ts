import type { ExecutionEvent } from '@noetl/engine';

/** Where the index of iterations lists an event: a loop is a step run or, inside another loop, an iteration. */
export interface IterationEnd {
  readonly loop: string;
  readonly index: number;
}

export function iterationEndOf({ name, iteration_id }: ExecutionEvent): IterationEnd | undefined {
  if (name !== 'loop.iteration.done' && name !== 'loop.iteration.failed') return undefined;
  if (iteration_id === undefined) return undefined;
  const end = Math.max(iteration_id.lastIndexOf(':'), iteration_id.lastIndexOf('.'));
  return { loop: iteration_id.slice(0, end), index: Number(iteration_id.slice(end + 1)) };
}
