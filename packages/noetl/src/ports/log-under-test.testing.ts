import type { Append, EventLog } from './event-log.ts';
import { notes } from './sample-events.testing.ts';

/** The log that a contract suite has opened. */
export interface LogUnderTest {
  readonly log: EventLog;
  /** Lets time pass on the log's clock, at least so many milliseconds. */
  pass(milliseconds: number): Promise<void>;
  /** An execution that no other test has used. */
  fresh(): string;
}

/** An append of one note that has nothing but its position to fulfil, where nothing else is said. */
export const append = (execution: string, expected: number, terms: Partial<Append> = {}): Append => ({
  execution,
  expected,
  events: notes(execution, expected, 1),
  under: [],
  unclaimed: [],
  ...terms,
});
