import type { DiagnosticCode } from './codes.ts';

/** Errors keep a playbook from running; warnings say what is probably not meant. */
export type Severity = 'error' | 'warning';

/** One problem of a playbook, as data. Lines and columns start at 1. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Length of what is wrong on its line, at least 1. */
  readonly length: number;
  /** What was found and what was expected, in one sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
  /** The line of the file; of a very long one, the part around the problem. */
  readonly sourceLine: string;
  /** Where the problem starts in a `sourceLine` that is only a part, from 1; otherwise that is `column`. */
  readonly sourceColumn?: number;
}
