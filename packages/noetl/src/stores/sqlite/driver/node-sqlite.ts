import { type Database, SqliteFailure, type SqlValue, type Statement } from './database.ts';

/** What the store uses of `node:sqlite`, which the oldest supported Node does not have. */
export interface NodeSqlite {
  readonly DatabaseSync: new (file: string) => NodeDatabase;
}

interface NodeDatabase {
  exec(sql: string): void;
  prepare(sql: string): NodeStatement;
  close(): void;
}

interface NodeStatement {
  run(...values: readonly SqlValue[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  get(...values: readonly SqlValue[]): unknown;
  all(...values: readonly SqlValue[]): unknown[];
}

export function openNodeSqlite({ DatabaseSync }: NodeSqlite, file: string): Database {
  const database = attempt(() => new DatabaseSync(file));
  return {
    exec: (sql) => attempt(() => database.exec(sql)),
    prepare: <Row>(sql: string): Statement<Row> => {
      const statement = attempt(() => database.prepare(sql));
      return {
        run: (...values) => {
          const { changes, lastInsertRowid } = attempt(() => statement.run(...values));
          return { changes: Number(changes), lastId: Number(lastInsertRowid) };
        },
        get: (...values) => attempt(() => statement.get(...values)) as Row | undefined,
        all: (...values) => attempt(() => statement.all(...values)) as readonly Row[],
      };
    },
    close: () => attempt(() => database.close()),
  };
}

function attempt<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    const { errcode } = error as { readonly errcode?: number };
    if (!(error instanceof Error) || errcode === undefined) throw error;
    throw new SqliteFailure(errcode & 0xff, error.message, { cause: error });
  }
}
