import type { ResultReference } from '@noetl/engine';

/**
 * Puts values that are too large for memory straight into the result store, piece by piece (RES-1). They are made JSON and
 * lose their secrets on the way, as any result. Throws a KeepProblem, a StoreError, or what goes wrong with the pieces.
 */
export interface Keep {
  /** A list, from batches of its items. */
  list(batches: AsyncIterable<readonly unknown[]>): Promise<ResultReference>;
  text(pieces: AsyncIterable<string>): Promise<ResultReference>;
  /** Bytes, as base64. */
  binary(pieces: AsyncIterable<Uint8Array>): Promise<ResultReference>;
  /** A value whose JSON comes in pieces. */
  json(pieces: AsyncIterable<string>): Promise<ResultReference>;
}

/** What was kept, and where in the result of the tool it belongs. */
export interface KeptPart {
  readonly path: readonly string[];
  readonly reference: ResultReference;
}

/** A value that cannot be kept. */
export class KeepProblem extends Error {
  override name = 'KeepProblem';
  readonly kind: 'result.json' | 'limit.result';
  constructor(kind: KeepProblem['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}
