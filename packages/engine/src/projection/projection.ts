import type { ExecutionEvent } from '../execution/event.ts';

/**
 * A fold for reading. It evaluates nothing, costs the same at every event of a log, and passes over events that it does
 * not know, which a later release may have written. `decide` never looks at one.
 */
export interface Projection<P, V> {
  readonly initial: P;
  readonly fold: (projection: P, event: ExecutionEvent) => P;
  /** What it tells, as plain data: written as JSON, whatever is undefined is left out. */
  readonly view: (projection: P) => V;
}

/** What a whole log tells. Who reads it in pages calls `fold` for each event. */
export function project<P, V>({ initial, fold, view }: Projection<P, V>, events: Iterable<ExecutionEvent>): V {
  let projection = initial;
  for (const event of events) projection = fold(projection, event);
  return view(projection);
}
