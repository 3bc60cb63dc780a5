/**
 * The little of SQLite that the store uses, whoever provides it. Everything is synchronous. There are no cursors: one that
 * is left open keeps the write-ahead log from being reset, so that whoever wants much asks for pages.
 *
 * Both drivers bind numbers as floating point, and give texts with a NUL back cut off: columns have types, and texts that
 * may contain anything are kept as JSON.
 */
export interface Database {
  /** Statements without parameters; nothing is given back. */
  exec(sql: string): void;
  /** Statements are kept for as long as the database: prepare each once. */
  prepare<Row = never>(sql: string): Statement<Row>;
  close(): void;
}

export interface Statement<Row> {
  run(...values: readonly SqlValue[]): { readonly changes: number; readonly lastId: number };
  get(...values: readonly SqlValue[]): Row | undefined;
  all(...values: readonly SqlValue[]): readonly Row[];
}

export type SqlValue = string | number | null;

/** What SQLite says when it fails: its primary result code, as in `SQLITE_FULL` = 13. */
export class SqliteFailure extends Error {
  readonly result: number;

  constructor(result: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SqliteFailure';
    this.result = result;
  }
}

/** Result codes that the store tells apart. */
export const RESULT = {
  permission: 3,
  busy: 5,
  locked: 6,
  readOnly: 8,
  disk: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;
