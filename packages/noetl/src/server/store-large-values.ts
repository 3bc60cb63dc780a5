import { type ExecutionEvent, largeValues, withValueAt } from '@noetl/engine';
import type { ResultStore } from '../ports/result-store.ts';

/** RES-1, RES-3: the events with large values stored and replaced by references; the very same list if none is large. */
export async function storeLargeValues(
  events: readonly ExecutionEvent[],
  results: ResultStore,
): Promise<readonly ExecutionEvent[]> {
  if (events.every((event) => largeValues(event).length === 0)) return events;
  const stored: ExecutionEvent[] = [];
  for (const event of events) {
    let small = event;
    for (const { path, value } of largeValues(event)) small = withValueAt(small, path, await results.put(value));
    stored.push(small);
  }
  return stored;
}
