import type Libsql from 'libsql';
import { type Database, RESULT, SqliteFailure, type Statement } from './database.ts';

/**
 * libsql 0.5, for versions of Node without SQLite. What its binding (0.5.29) does differently, and where it is met:
 *
 *  - a single value that is an object is taken for named parameters: values are always handed over in a list;
 *  - a statement that failed with SQLITE_BUSY in `run` stays in progress, so that no later COMMIT succeeds: transactions
 *    are begun with `exec`, whose statements are finalized;
 *  - a file that cannot be opened is an error without a code.
 */
export function openLibsql(Constructor: typeof Libsql, file: string): Database {
  const database = attempt(() => new Constructor(file));
  return {
    exec: (sql) => {
      attempt(() => database.exec(sql));
    },
    prepare: <Row>(sql: string): Statement<Row> => {
      const statement = attempt(() => database.prepare<unknown[]>(sql));
      return {
        run: (...values) => {
          const { changes, lastInsertRowid } = attempt(() => statement.run(values));
          return { changes, lastId: Number(lastInsertRowid) };
        },
        get: (...values) => attempt(() => statement.get(values)) as Row | undefined,
        all: (...values) => attempt(() => statement.all(values)) as readonly Row[],
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
