import type { ExecutionEvent } from '@noetl/engine';

/** What people see of an execution while it runs. */
export interface Progress {
  /** What happened before anybody looked, for a run that is resumed: it counts, and is not told. */
  recall(events: readonly ExecutionEvent[]): void;
  events(events: readonly ExecutionEvent[]): void;
  /** Says something that is no event, between those that are. */
  say(text: string): void;
  /** Says the last word. Nothing is written afterwards. */
  close(): void;
}
