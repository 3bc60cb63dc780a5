import type { JsonMap } from '@noetl/playbook';
import type { Client } from 'pg';
import type { BoundStatement } from '../sql/bound-statement.ts';
import { isWord } from '../sql/sql-tokens.ts';
import { StatementFailed } from '../sql/statement-failed.ts';
import { distinctNames, type RowKeeper, type StatementResult } from '../sql/statement-result.ts';
import type { Transaction } from '../sql/transaction.ts';
import { readerOf } from './column-values.ts';
import { sqlstateOf } from './postgres-error.ts';
import { NotUnderstood, type RunningStatement, runStatement } from './statement-query.ts';
import { OID, type ParameterTypes, parameterTypes } from './typed-parameters.ts';

/** Runs the statements in one transaction: all of them, or none. Throws a StatementFailed. */
export async function runTransaction(
  client: Client,
  { begin: given, statements }: Transaction,
  keeper: RowKeeper,
  signal: AbortSignal,
): Promise<readonly StatementResult[]> {
  const begin = given ?? (statements.some(givesWhatItChanges) ? 'BEGIN' : undefined);
  const results: StatementResult[] = [];
  const [first] = statements;
  let current = first;
  try {
    if (begin !== undefined) await client.query(begin);
    for (const statement of statements) {
      current = statement;
      signal.throwIfAborted();
      results.push(await resultOf(client, statement, begin !== undefined, keeper));
    }
    signal.throwIfAborted();
    if (begin !== undefined) await client.query('COMMIT');
    return results;
  } catch (error) {
    // Who waits for the end of a connection that is broken waits in vain.
    if (begin !== undefined && !signal.aborted) await client.query('ROLLBACK').catch(() => undefined);
    if (current === undefined) throw error;
    throw new StatementFailed(current, Math.min(results.length + 1, statements.length), error);
  }
}

/** If its rows cannot be kept, its changes must be undone. */
const givesWhatItChanges = ({ verb, tokens }: BoundStatement): boolean =>
  verb === 'WITH' || tokens.some((token) => isWord(token, 'RETURNING'));

async function resultOf(
  client: Client,
  statement: BoundStatement,
  isInTransaction: boolean,
  keeper: RowKeeper,
): Promise<StatementResult> {
  const running = await understood(client, statement, isInTransaction);
  const { fields = [] } = running;
  const columns = distinctNames(fields.map(({ name }) => name));
  const readers = fields.map(({ dataTypeID }) => readerOf(dataTypeID));
  async function* rows(): AsyncGenerator<readonly JsonMap[]> {
    for await (const batch of running.batches()) {
      yield batch.map((texts) =>
        Object.fromEntries(
          texts.map((text, i) => [columns[i] ?? '', text === null ? null : (readers[i]?.(text) ?? null)] as const),
        ),
      );
    }
  }
  const held = await keeper.hold(rows());
  return { rows: held, row_count: running.count(), columns };
}

const SAVEPOINT = 'noetl_types';
/** What a server says that cannot make sense of the types of parameters. */
const ABOUT_TYPES = /^(?:42P18|42725|42883|42804|42846|42P08|22P02)$/;

/** Tries other types for the parameters where the server cannot make sense of them; in a transaction without harm to it. */
async function understood(
  client: Client,
  { text, values }: BoundStatement,
  isInTransaction: boolean,
): Promise<RunningStatement> {
  if (values.length === 0) return runStatement(client, text, values).catch(unwrapped);
  const guards = isInTransaction;
  if (guards) await client.query(`SAVEPOINT ${SAVEPOINT}`);
  let first: unknown;
  for (const types of parameterTypes(values)) {
    const tried = await attemptWith(client, text, values, types, guards);
    if ('running' in tried) return tried.running;
    first ??= tried.error;
    if (!ABOUT_TYPES.test(sqlstateOf(tried.error) ?? '')) throw first;
  }
  throw first;
}

type Tried = { readonly running: RunningStatement } | { readonly error: unknown };

/** A text whose type nothing tells (`$1 IS NULL`) is a text. */
async function attemptWith(
  client: Client,
  text: string,
  values: BoundStatement['values'],
  types: ParameterTypes,
  guards: boolean,
): Promise<Tried> {
  const decided = [...types.types];
  for (;;) {
    try {
      return { running: await runStatement(client, text, values, { ...types, types: decided }) };
    } catch (error) {
      if (!(error instanceof NotUnderstood)) throw error;
      if (guards) await client.query(`ROLLBACK TO SAVEPOINT ${SAVEPOINT}`);
      const { cause } = error;
      const unclear =
        sqlstateOf(cause) === '42P18' ? Number(/\$(\d+)/.exec((cause as Error).message)?.[1]) : Number.NaN;
      if (decided[unclear - 1] !== 0) return { error: cause };
      decided[unclear - 1] = OID.text;
    }
  }
}

function unwrapped(error: unknown): never {
  throw error instanceof NotUnderstood ? error.cause : error;
}
