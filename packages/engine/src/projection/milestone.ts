import type { ExecutionEvent } from '../execution/event.ts';

/**
 * Events that a reader of a long log cannot do without: `story`, all that is not inside of an iteration; `trouble`, what
 * failed or was tried again inside of one. What goes well in iterations is told by the state, which counts it.
 */
export type Milestone = 'story' | 'trouble';

export function milestoneOf(event: ExecutionEvent): Milestone | undefined {
  if (event.iteration_id === undefined) return 'story';
  switch (event.name) {
    case 'loop.iteration.failed':
      return 'trouble';
    case 'task.done': {
      const { outcome, next } = event.payload;
      const smooth = outcome?.status !== 'error' && next.kind !== 'failed' && (event.attempt ?? 1) === 1;
      return smooth ? undefined : 'trouble';
    }
    default:
      return undefined;
  }
}
