import type { Json, JsonMap } from '@noetl/playbook';
import type { Client } from 'pg';
import { KeepProblem } from '../../ports/keep.ts';
import { StoreError } from '../../ports/store-error.ts';
import { failed, stopped } from '../answer.ts';
import { isMap, textOf } from '../checked-fields.ts';
import { credentialOf } from '../credential.ts';
import { defineTool, type Tool, type ToolAnswer, type ToolCall, type ToolContext } from '../define-tool.ts';
import type { BoundStatement } from '../sql/bound-statement.ts';
import { NoJsonForm } from '../sql/exact-number.ts';
import { NoPlace } from '../sql/places.ts';
import { SqlProblem } from '../sql/sql-problem.ts';
import { sqlTask } from '../sql/sql-task.ts';
import { isWord } from '../sql/sql-tokens.ts';
import { StatementFailed } from '../sql/statement-failed.ts';
import { NO_ROWS, openRowKeeper, type RowKeeper, sqlAnswer } from '../sql/statement-result.ts';
import { transactionOf } from '../sql/transaction.ts';
import type { ToolLimits } from '../tool-host.ts';
import { withTimeout } from '../with-timeout.ts';
import { cancelQuery } from './connect.ts';
import { type ConnectionPool, type LendTimeouts, type LentConnection, openPool } from './connection-pool.ts';
import { type CopyRows, copyRows, loadRows } from './copy-rows.ts';
import { POSTGRES } from './postgres-dialect.ts';
import { connectFailure, poolFailure, statementFailure } from './postgres-error.ts';
import { runTransaction } from './run-transaction.ts';
import { AddressProblem, type ServerAddress, serverAddress } from './server-address.ts';

type Api = typeof import('pg');
type Limits = Pick<ToolLimits, 'heldBytes' | 'connections'>;

/** SQL on PostgreSQL, with a pool of connections for each database and user. */
export function postgresTool(limits: Limits): Tool {
  const pools = new Map<string, ConnectionPool>();
  let loading: Promise<Api> | undefined;
  const poolFor = async (address: ServerAddress): Promise<ConnectionPool> => {
    loading ??= import('pg');
    const api = await loading;
    const key = JSON.stringify(address);
    const pool = pools.get(key) ?? openPool(api, address, limits.connections);
    // One that nobody uses any more has no connections after a while.
    for (const [other, { size }] of pools) if (pools.size > MAX_POOLS && size() === 0) pools.delete(other);
    pools.set(key, pool);
    return pool;
  };
  return defineTool({
    kind: 'postgres',
    run: async (call, context) => {
      const { label } = call.task;
      const prepared = prepare(call, context);
      if ('answer' in prepared) return prepared.answer;
      const { address, work } = prepared;
      if (context.signal.aborted) return stopped(context.signal, label);
      const timeouts = timeoutsOf(call.spec);
      const { signal, forget } = withTimeout(context.signal, timeouts.read);
      try {
        return await connectedAnswer(signal, timeouts);
      } finally {
        forget();
      }

      async function connectedAnswer(signal: AbortSignal, timeouts: LendTimeouts): Promise<ToolAnswer> {
        let lent: LentConnection;
        try {
          lent = await (await poolFor(address)).lend(timeouts, signal);
        } catch (error) {
          if (signal.aborted) return stopped(signal, label);
          return error instanceof NoPlace
            ? poolFailure(label, address, limits.connections, timeouts.pool / 1000)
            : connectFailure(label, error, address);
        }
        return using(lent, address, signal, label, () =>
          work(lent.client, signal, openRowKeeper(context.keep, limits.heldBytes)),
        );
      }
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  });
}

const MAX_POOLS = 100;

/** Seconds. */
const CONNECT_TIMEOUT = 10;
const POOL_TIMEOUT = 30;

function timeoutsOf({ timeout }: JsonMap): LendTimeouts & { readonly read?: number } {
  const { connect, read } = isMap(timeout) ? timeout : {};
  const pool = typeof connect === 'number' ? connect : POOL_TIMEOUT;
  return {
    pool: pool * 1000,
    connect: (typeof connect === 'number' ? connect : CONNECT_TIMEOUT) * 1000,
    ...(typeof read === 'number' ? { read: read * 1000 } : {}),
  };
}

type Work = (client: Client, signal: AbortSignal, keeper: RowKeeper) => Promise<ToolAnswer>;
type Prepared = { readonly address: ServerAddress; readonly work: Work } | { readonly answer: ToolAnswer };

/** Everything that can be wrong before there is a connection. */
function prepare(call: ToolCall, { folder }: ToolContext): Prepared {
  const { task, input } = call;
  const work = input.table === undefined ? statementsOf(call) : bulkOf(call);
  if ('answer' in work) return work;
  const found = credentialOf(call);
  if ('answer' in found) return found;
  const credential: Json | undefined = input.dsn ?? found.credential;
  if (credential === undefined || credential === null) {
    const message = `the task '${task.label}' has neither 'auth' nor 'dsn', and so no database.`;
    return { answer: failed('auth', message) };
  }
  try {
    return { address: serverAddress(credential, folder), work };
  } catch (error) {
    if (!(error instanceof AddressProblem)) throw error;
    const what = input.dsn === undefined ? 'the credential' : "'dsn'";
    return { answer: failed('auth', `${what} of the task '${task.label}' ${error.message}.`) };
  }
}

function statementsOf(call: ToolCall): Work | { readonly answer: ToolAnswer } {
  const bound = sqlTask(call, POSTGRES);
  if ('answer' in bound) return bound;
  try {
    for (const statement of bound.statements) refuseUnfit(statement);
    const transaction = transactionOf(bound.statements);
    return async (client, signal, keeper) => sqlAnswer(await runTransaction(client, transaction, keeper, signal), DONE);
  } catch (error) {
    if (!(error instanceof SqlProblem)) throw error;
    return { answer: failed('task.field', `the task '${call.task.label}': ${error.message}`) };
  }
}

/** The protocol counts parameters with 16 bits. */
const MOST_VALUES = 65_535;

function refuseUnfit({ verb, tokens, values }: BoundStatement): void {
  if (values.length > MOST_VALUES) {
    throw new SqlProblem(
      `a statement has ${values.length} values, and PostgreSQL takes at most ${MOST_VALUES}. Load them with 'table' and 'rows'.`,
    );
  }
  if (verb === 'COPY' && tokens.some((token) => isWord(token, 'STDIN', 'STDOUT'))) {
    throw new SqlProblem(
      "COPY cannot use STDIN or STDOUT here. Load rows with 'table' and 'rows', read them with SELECT.",
    );
  }
  // Where texts end must be the same for the server and for whoever looks for templates in them.
  if (verb === 'SET' && tokens.some((token) => isWord(token, 'STANDARD_CONFORMING_STRINGS'))) {
    throw new SqlProblem('standard_conforming_strings is always on here.');
  }
}

const DONE = { pg: { code: '00000', sqlstate: '00000' } };

function bulkOf({ task, input }: ToolCall): Work | { readonly answer: ToolAnswer } {
  let copy: CopyRows;
  try {
    copy = copyRows(textOf(input.table ?? null), input.rows ?? null);
  } catch (error) {
    if (!(error instanceof SqlProblem)) throw error;
    return {
      answer: failed('task.field', `the task '${task.label}': ${error.message}`, { details: { field: 'rows' } }),
    };
  }
  const answer = (count: number) => sqlAnswer([{ rows: NO_ROWS, row_count: count, columns: copy.columns }], DONE);
  return async (client, signal) => answer(copy.rows.length === 0 ? 0 : await loadRows(client, copy, signal));
}

/** How long the server may take to end what it was told to end, in milliseconds. */
const CANCEL_PATIENCE = 5000;

/** Nothing of the task stays behind on the server, however it ends. */
async function using(
  { client, release, destroy }: LentConnection,
  address: ServerAddress,
  signal: AbortSignal,
  label: string,
  body: () => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  let cancelled: Promise<void> | undefined;
  const cancel = () => {
    cancelled ??= cancelQuery(address, client, CANCEL_PATIENCE);
    // A server that does not hear is left alone after a while.
    setTimeout(() => client.connection.stream.destroy(), CANCEL_PATIENCE).unref();
  };
  signal.addEventListener('abort', cancel);
  try {
    const answer = await body();
    if (cancelled === undefined) release();
    else destroy();
    return answer;
  } catch (error) {
    await cancelled;
    if (signal.aborted) {
      destroy();
      return stopped(signal, label);
    }
    return answerOf(error);
  } finally {
    signal.removeEventListener('abort', cancel);
  }

  function answerOf(error: unknown): ToolAnswer {
    const { cause, number, statement } =
      error instanceof StatementFailed ? error : { cause: error, number: 1, statement: undefined };
    const what = `statement ${number} of the task '${label}'`;
    // The worker knows what to do if rows cannot be kept.
    if (cause instanceof KeepProblem || cause instanceof StoreError) {
      release();
      throw cause;
    }
    if (cause instanceof NoJsonForm) {
      release();
      return failed('result.json', `${what}: ${cause.message}`);
    }
    const answer = statementFailure(label, number, statement, cause, address);
    if (answer.error?.kind === 'sql.connect') destroy();
    else release();
    return answer;
  }
}
