/** What a store cannot go on from. Codes never change; docs/errors has a page for each. */
export type StoreErrorCode =
  /** The file was written by a newer version of the program. */
  | 'NOETL_STORE_NEWER'
  /** What is there is not what the program wrote. */
  | 'NOETL_STORE_CORRUPT'
  | 'NOETL_STORE_READONLY'
  /** The disk is full: works again when there is space. */
  | 'NOETL_STORE_FULL'
  /** Another process holds the lock for too long. */
  | 'NOETL_STORE_BUSY'
  /** The store was closed, or its thread has died. */
  | 'NOETL_STORE_CLOSED'
  /** Anything else that the file system or the database says. */
  | 'NOETL_STORE_IO';

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
