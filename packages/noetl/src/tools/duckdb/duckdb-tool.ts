import { isAbsolute, resolve } from 'node:path';
import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api';
import type { JsonMap } from '@noetl/playbook';
import { KeepProblem } from '../../ports/keep.ts';
import { StoreError } from '../../ports/store-error.ts';
import { failed, stopped } from '../answer.ts';
import { textOf } from '../checked-fields.ts';
import { defineTool, type Tool, type ToolAnswer, type ToolCall, type ToolContext } from '../define-tool.ts';
import type { BoundStatement } from '../sql/bound-statement.ts';
import { NoJsonForm } from '../sql/exact-number.ts';
import { openPlaces } from '../sql/places.ts';
import { SqlProblem } from '../sql/sql-problem.ts';
import { sqlTask } from '../sql/sql-task.ts';
import { StatementFailed } from '../sql/statement-failed.ts';
import {
  distinctNames,
  NO_ROWS,
  openRowKeeper,
  type RowKeeper,
  type StatementResult,
  sqlAnswer,
} from '../sql/statement-result.ts';
import { type Transaction, transactionOf } from '../sql/transaction.ts';
import type { ToolLimits } from '../tool-host.ts';
import { type Databases, IN_MEMORY, openDatabases } from './databases.ts';
import { DUCKDB } from './duckdb-dialect.ts';
import { openFailure, statementFailure } from './duckdb-error.ts';
import { bindValues } from './parameter-values.ts';
import { jsonOf } from './row-values.ts';

type Api = typeof import('@duckdb/node-api');

/**
 * DuckDB uses all cores for one query, and holds one of the four threads that Node has for files and names: others must be
 * left for these.
 */
const AT_ONCE = 2;

/** SQL on DuckDB, in this process: in memory for one task, or in a file. */
export function duckdbTool({ heldBytes }: Pick<ToolLimits, 'heldBytes'>): Tool {
  const places = openPlaces(AT_ONCE);
  let loading: Promise<{ readonly api: Api; readonly databases: Databases } | undefined> | undefined;
  return defineTool({
    kind: 'duckdb',
    run: async (call, context) => {
      const { label } = call.task;
      loading ??= load();
      const loaded = await loading;
      if (loaded === undefined) return notInstalled(label);
      const task = sqlTask(call, DUCKDB, (path) => fileAt(path, context.folder));
      if ('answer' in task) return task.answer;
      if (context.signal.aborted) return stopped(context.signal, label);
      const database = databaseOf(call, context);
      let hasPlace = false;
      let isOpen = false;
      try {
        const transaction = transactionOf(task.statements);
        await places.take(context.signal);
        hasPlace = true;
        return await loaded.databases.use(database, (connection) => {
          isOpen = true;
          return answerOf(
            connection,
            transaction,
            { ...loaded, keeper: openRowKeeper(context.keep, heldBytes) },
            context,
          );
        });
      } catch (error) {
        if (context.signal.aborted) return stopped(context.signal, label);
        if (error instanceof SqlProblem) return failed('task.field', `the task '${label}': ${error.message}`);
        if (error instanceof StatementFailed) return causeOf(label, error);
        if (!isOpen) return openFailure(label, database, error);
        throw error;
      } finally {
        if (hasPlace) places.free();
      }
    },
  });
}

async function load(): Promise<{ readonly api: Api; readonly databases: Databases } | undefined> {
  try {
    const api = await import('@duckdb/node-api');
    return { api, databases: openDatabases(api) };
  } catch {
    return undefined;
  }
}

const notInstalled = (label: string): ToolAnswer =>
  failed(
    'tool.unavailable',
    `the task '${label}' needs DuckDB, which is not installed here: npm install @duckdb/node-api.`,
    { details: { install: '@duckdb/node-api' } },
  );

function causeOf(label: string, error: StatementFailed): ToolAnswer {
  const { cause, number } = error;
  // The worker knows what to do if rows cannot be kept.
  if (cause instanceof KeepProblem || cause instanceof StoreError) throw cause;
  if (cause instanceof NoJsonForm) {
    return failed('result.json', `statement ${number} of the task '${label}': ${cause.message}`);
  }
  return statementFailure(label, error);
}

function databaseOf({ input }: ToolCall, { folder }: ToolContext): string {
  const given = textOf(input.database ?? input.dsn ?? IN_MEMORY).replace(/^duckdb:(?:\/\/)?/, '');
  return given === '' || given === IN_MEMORY ? IN_MEMORY : fileAt(given, folder);
}

/** Relative files are beside the playbook; `s3://…`, `sqlite:…`, `dbname=…` and the like are none. */
const fileAt = (path: string, folder: string): string =>
  path === '' || isAbsolute(path) || /^[a-z+]*:|^\w+=/i.test(path) ? path : resolve(folder, path);

interface Session {
  readonly api: Api;
  readonly keeper: RowKeeper;
}

async function answerOf(
  connection: DuckDBConnection,
  { begin, statements }: Transaction,
  session: Session,
  { signal, folder }: ToolContext,
): Promise<ToolAnswer> {
  const stop = interruption(connection, signal);
  try {
    await connection.run(`SET file_search_path = ${DUCKDB.textLiteral(folder)}`);
    if (begin !== undefined) await connection.run(begin);
    const results: StatementResult[] = [];
    for (const statement of statements) {
      signal.throwIfAborted();
      results.push(await resultOf(connection, statement, results.length + 1, session));
    }
    signal.throwIfAborted();
    if (begin !== undefined) await committed(connection, statements);
    return sqlAnswer(results);
  } finally {
    stop();
  }
}

async function committed(connection: DuckDBConnection, statements: readonly BoundStatement[]): Promise<void> {
  try {
    await connection.run('COMMIT');
  } catch (error) {
    const last = statements.at(-1);
    throw last === undefined ? error : new StatementFailed(last, statements.length, error);
  }
}

/** DuckDB forgets an interruption that comes between two queries: so it is said again until the call ends. */
function interruption(connection: DuckDBConnection, signal: AbortSignal): () => void {
  let again: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    again ??= setInterval(() => connection.interrupt(), 20);
  };
  signal.addEventListener('abort', interrupt);
  return () => {
    signal.removeEventListener('abort', interrupt);
    clearInterval(again);
  };
}

async function resultOf(
  connection: DuckDBConnection,
  statement: BoundStatement,
  number: number,
  { api, keeper }: Session,
): Promise<StatementResult> {
  try {
    const prepared = await connection.prepare(statement.text);
    try {
      bindValues(prepared, statement.values, api);
      const result = await prepared.stream();
      if (result.returnType !== api.ResultReturnType.QUERY_RESULT) {
        return { rows: NO_ROWS, row_count: await changedRows(result), columns: [] };
      }
      const columns = distinctNames(result.columnNames());
      let count = 0;
      const rows = await keeper.hold(
        batchesOf(result, columns, (rows) => {
          count += rows;
        }),
      );
      return { rows, row_count: count, columns };
    } finally {
      prepared.destroySync();
    }
  } catch (error) {
    throw new StatementFailed(statement, number, error);
  }
}

/** A change is done only once its result is read. */
async function changedRows(result: DuckDBResult): Promise<number> {
  const isCount = result.columnNames()[0] === 'Count';
  const [[count] = []] = await result.getRows();
  return isCount ? Number(count ?? 0) : 0;
}

async function* batchesOf(
  result: DuckDBResult,
  columns: readonly string[],
  given: (rows: number) => void,
): AsyncGenerator<readonly JsonMap[]> {
  const types = result.columnTypes();
  for await (const rows of result.yieldRows()) {
    given(rows.length);
    yield rows.map((row) =>
      Object.fromEntries(
        columns.map((column, i) => {
          const type = types[i];
          return [column, type === undefined ? null : jsonOf(row[i] ?? null, type)] as const;
        }),
      ),
    );
  }
}
