import type { Instant } from '@noetl/engine';

/** Time as the program sees it. Order comes from positions in the log, never from here. */
export interface Clock {
  now(): Instant;
  /**
   * Calls back once, not before the instant and never while `at` itself runs; earlier instants come first. The returned
   * function takes it back.
   */
  at(instant: Instant, callback: () => void): () => void;
}
