/** What a store cannot go on from, by codes that never change. One page each in docs/errors; a test keeps the two equal. */
export const STORE_ERROR_CODES = [
  /** The file was written by a newer version of the program. */
  'NOETL_STORE_NEWER',
  /** What is there is not what the program wrote. */
  'NOETL_STORE_CORRUPT',
  'NOETL_STORE_READONLY',
  /** Works again when there is space. */
  'NOETL_STORE_FULL',
  /** Another process holds the lock for too long. */
  'NOETL_STORE_BUSY',
  /** The disk failed while it was written: what this process knows of it may not be what it holds. */
  'NOETL_STORE_BROKEN',
  /** The store was closed, or its thread has died. */
  'NOETL_STORE_CLOSED',
  /** The server that keeps results does not answer. Works again when it does. */
  'NOETL_STORE_UNREACHABLE',
  /** This process does not know where the store is. */
  'NOETL_STORE_UNCONFIGURED',
  /** Anything else that the file system or the database says. */
  'NOETL_STORE_IO',
] as const;

export type StoreErrorCode = (typeof STORE_ERROR_CODES)[number];

/** Whether the store is of no use to this process any more, however often it is asked again. */
export const isLost = (error: unknown): boolean =>
  error instanceof StoreError &&
  ['NOETL_STORE_BROKEN', 'NOETL_STORE_CLOSED', 'NOETL_STORE_UNCONFIGURED'].includes(error.code);

export class StoreError extends Error {
  readonly code: StoreErrorCode;
  readonly fields: Readonly<Record<string, string | number>>;

  constructor(
    code: StoreErrorCode,
    message: string,
    fields: Readonly<Record<string, string | number>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
    this.fields = fields;
  }
}
