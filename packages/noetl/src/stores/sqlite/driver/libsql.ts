import type Libsql from 'libsql';
import { type Database, RESULT, SqliteFailure, type Statement } from './database.ts';
import { assertLogReadable } from './readable-log.ts';

/**
 * libsql 0.5, for versions of Node without SQLite. What its binding (0.5.29) does differently, and where it is met:
 *
 *  - `get` neither begins with a reset nor fails where one is needed: after `run` or `all` of the same statement it
 *    answers with their values. Each of the three has a statement of its own;
 *  - a single value that is an object is taken for named parameters: values are always handed over in a list;
 *  - a statement that failed with SQLITE_BUSY in `run` stays in progress, so that no later COMMIT succeeds: transactions
 *    are begun with `exec`, whose statements are finalized;
 *  - a file that cannot be opened is an error without a code;
 *  - a checkpoint that cannot read a page of the write-ahead log goes on, writes something else in its place and deletes
 *    the log: the file is damaged for good. What a dead process has left is read before the file is opened.
 */
export function openLibsql(Constructor: typeof Libsql, file: string): Database {
  assertLogReadable(file);
  const database = attempt(() => new Constructor(file));
  return {
    exec: (sql) => {
      attempt(() => database.exec(sql));
    },
    prepare: <Row>(sql: string): Statement<Row> => {
      const prepared = () => attempt(() => database.prepare<unknown[]>(sql));
      const first = prepared();
      let ofGet: typeof first | undefined;
      let ofAll: typeof first | undefined;
      return {
        run: (...values) => {
          const { changes, lastInsertRowid } = attempt(() => first.run(values));
          return { changes, lastId: Number(lastInsertRowid) };
        },
        get: (...values) => {
          ofGet ??= prepared();
          return attempt(() => ofGet?.get(values)) as Row | undefined;
        },
        all: (...values) => {
          ofAll ??= prepared();
          return attempt(() => ofAll?.all(values)) as readonly Row[];
        },
      };
    },
    close: () => {
      attempt(() => database.close());
    },
  };
}

function attempt<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw failureOf(error);
  }
}

function failureOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { rawCode } = error as { readonly rawCode?: number };
  if (rawCode !== undefined) return new SqliteFailure(rawCode & 0xff, error.message, { cause: error });
  const [, unopened] = /Unable to open connection to local database .*: (\d+)/s.exec(error.message) ?? [];
  if (unopened === undefined) return error;
  return new SqliteFailure(Number(unopened) & 0xff || RESULT.cannotOpen, 'unable to open database file', {
    cause: error,
  });
}
