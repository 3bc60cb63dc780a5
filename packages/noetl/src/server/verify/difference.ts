/** Where what is stored is not what it should be: what, where, and the two sides, for people and programs. */
export interface Difference {
  readonly what: DifferenceKind;
  /** The event; of a reference the one that names it. */
  readonly seq?: number;
  /** A file, a column of the store, or a path into a value. */
  readonly place?: string;
  readonly expected: string;
  readonly found: string;
  /** A sentence that says it. */
  readonly message: string;
}

export type DifferenceKind =
  /** The log itself: what was appended is not what is there. */
  | 'event.text'
  | 'event.hash'
  | 'event.missing'
  | 'event.extra'
  | 'event.unreadable'
  | 'event.misplaced'
  | 'head'
  /** Values beside the log. */
  | 'result.missing'
  | 'result.size'
  | 'result.checksum'
  | 'result.unknown'
  | 'manifest'
  /** The playbook that the execution runs. */
  | 'playbook'
  /** What is derived from the log. */
  | 'fact'
  | 'index'
  | 'snapshot'
  /** The store cannot be read. */
  | 'store';

/** Data as a person compares it: whole if it is short. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= MOST ? text : `${text.slice(0, MOST)}… (${text.length} characters)`;
}

const MOST = 200;
