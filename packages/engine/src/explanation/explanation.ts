import type { JsonMap } from '@noetl/playbook';
import type { OutcomeError } from '../outcome.ts';

/**
 * Why the log says what it says: the conditions behind an event, in the order of the playbook. What was decided comes
 * from the event; nothing is evaluated again.
 */
export interface Explanation {
  readonly about: 'admission' | 'arcs' | 'policy';
  readonly step: string;
  /** The task whose policy it is. */
  readonly task?: string;
  /**
   * Of an admission `allow` or `deny`; of arcs `taken`, or `end` where none was; of a policy its directive; `error`
   * where a condition could not be evaluated.
   */
  readonly decision: string;
  /** The rule that decided; `default` where there was none to ask, `unmatched` where none held. Absent for arcs. */
  readonly by?: number | 'default' | 'unmatched';
  readonly conditions: readonly Asked[];
}

/** A condition, and what came of it. */
export interface Asked {
  /** Its place in the playbook, from 0. */
  readonly index: number;
  /** The expression as it is written; absent where there is none: an arc without `when`, a rule that is `else`. */
  readonly when?: string;
  readonly verdict: 'matched' | 'not_matched' | 'not_evaluated' | 'not_considered' | 'error' | 'unknown';
  /** What it leads to if it holds: `allow` or `deny`, a step, a directive. */
  readonly leads_to: string;
  /** What it read, by path; long values are abridged, those of the keychain are not told. */
  readonly reads?: JsonMap;
  /** Paths that it read and that were undefined. */
  readonly undefined?: readonly string[];
  readonly error?: OutcomeError;
}
