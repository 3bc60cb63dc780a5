import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Dialect } from './dialects.ts';
import type { RuleId } from './rules.ts';

/** MIG-1: an older playbook as a canonical one, with everything that was done to it. */
export interface Migration {
  /** The canonical text; the original, byte for byte, where nothing had to change. */
  readonly text: string;
  /** In the order of `DIALECTS`; documents often mix several. */
  readonly dialects: readonly DialectFound[];
  /** What was changed and why, in the order of the original file. */
  readonly notes: readonly Note[];
  /** What could not be translated faithfully. It stands in `text` as it stood, so `text` is no playbook that runs. */
  readonly problems: readonly Diagnostic[];
  /** Where each line of `text` comes from. */
  readonly origins: Origins;
}

export interface DialectFound {
  readonly dialect: Dialect;
  readonly evidence: readonly Evidence[];
}

/** What shows that a document speaks a dialect. Lines and columns start at 1. */
export interface Evidence {
  readonly line: number;
  readonly column: number;
  /** As in `the step 'fetch' has 'case'`. */
  readonly what: string;
}

export interface Note {
  readonly rule: RuleId;
  /** In the original file. Lines and columns start at 1. */
  readonly line: number;
  readonly column: number;
  /** What became of what, and why where the rule alone does not say it. */
  readonly message: string;
  /** Whether the author should look at it: the meaning may depend on something that is not in this file. */
  readonly review: boolean;
}

/** For each line of the canonical text, from 0: the line of the original that it comes from, and how far it was moved. */
export type Origins = readonly Origin[];

export interface Origin {
  /** From 1. */
  readonly line: number;
  /** How many columns further right it now stands; of a line that was written anew undefined. */
  readonly shift: number | undefined;
  /** Of a line that was written anew: the column, from 1, of what it was made from. */
  readonly column: number;
}
