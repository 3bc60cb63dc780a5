import type { Piece } from './piece.ts';

/** One generated case, before it is given to either engine. */
export interface FuzzCase {
  readonly mode: 'expr' | 'string';
  readonly piece: Piece;
  readonly context: Record<string, unknown>;
  readonly undefined: 'default' | 'strict' | 'chainable';
  readonly options: { trim_blocks?: boolean; lstrip_blocks?: boolean; keep_trailing_newline?: boolean };
}
