import type { JsonMap } from '@noetl/playbook';
import { failed } from '../answer.ts';
import type { ToolAnswer } from '../define-tool.ts';
import type { BoundStatement } from '../sql/bound-statement.ts';
import { ConnectTimeout } from './connect.ts';
import type { ServerAddress } from './server-address.ts';

/** What PostgreSQL says of a failure; other errors have no SQLSTATE. */
interface ServerError extends Error {
  readonly code?: string;
  readonly position?: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  readonly where?: string;
}

export const sqlstateOf = (error: unknown): string | null =>
  error instanceof Error && /^[0-9A-Z]{5}$/.test((error as ServerError).code ?? '')
    ? ((error as ServerError).code ?? null)
    : null;

/** TOOL-1: `outcome.pg`. */
const pgOf = (error: unknown): { readonly pg: JsonMap } => ({
  pg: { code: (error as ServerError).code ?? null, sqlstate: sqlstateOf(error) },
});

/** Deadlocks, conflicts of transactions, locks, what an administrator ended, a server without room. */
const RETRYABLE = /^(?:40001|40P01|55P03|57014|57P0[1-5]|53[03]00|25P0[34]|08...)$/;

/** A statement that the server refused, or that it could not answer any more. */
export function statementFailure(
  label: string,
  number: number,
  statement: BoundStatement | undefined,
  error: unknown,
  address: ServerAddress,
): ToolAnswer {
  const sqlstate = sqlstateOf(error);
  const what = `statement ${number} of the task '${label}'`;
  if (sqlstate === null || sqlstate.startsWith('57P')) return broken(what, error, address);
  const { message, position, detail, hint, table, column, constraint } = error as ServerError;
  const told = Object.fromEntries(
    Object.entries({ detail, hint, table, column, constraint }).filter(([, value]) => value !== undefined),
  ) as JsonMap;
  const more = { retryable: RETRYABLE.test(sqlstate), ...pgOf(error) };
  const details = { statement: number, sqlstate, ...told };
  const said = `${message} (${sqlstate})${hint === undefined ? '' : `. ${hint}`}`;
  if (statement === undefined) {
    const row = rowOf(error as ServerError);
    const place =
      row === undefined ? '' : ` at row ${row.row}${row.column === undefined ? '' : `, column ${row.column}`}`;
    return failed('sql.failed', `${what} failed${place}: ${said}`, { ...more, details: { ...details, ...row } });
  }
  if (position === undefined) return failed('sql.failed', `${what} failed: ${said}`, { ...more, details });
  const {
    line,
    column: at,
    text,
  } = statement.placeOf([...statement.text].slice(0, Number(position) - 1).join('').length);
  const place = `line ${line}, column ${at}`;
  return failed('sql.failed', `${what} failed at ${place}: ${said}\n${text}\n${' '.repeat(at - 1)}^`, {
    ...more,
    details: { ...details, line, column: at },
  });
}

/** The row of bulk loading, of which every one is a line of COPY; nothing if the server tells it in another language. */
function rowOf({ where = '' }: ServerError): { readonly row: number; readonly column?: string } | undefined {
  const [, line, column] = /^COPY .*?, line (\d+)(?:, column ([^:]+))?/.exec(where) ?? [];
  if (line === undefined) return undefined;
  return { row: Number(line), ...(column === undefined ? {} : { column }) };
}

function broken(what: string, error: unknown, address: ServerAddress): ToolAnswer {
  const message = `${what} lost the connection to ${shown(address)}: ${error instanceof Error ? error.message : error}. Whether it was done is not known.`;
  return failed('sql.connect', message, { retryable: true, ...pgOf(error) });
}

const shown = ({ host, port, database }: ServerAddress): string =>
  `PostgreSQL at ${host}:${port}${database === undefined ? '' : `/${database}`}`;

/** The credential is wrong, or there is no such database: another try finds the same. */
const REFUSED = /^(?:28...|3D000|42501)$/;

export function connectFailure(label: string, error: unknown, address: ServerAddress): ToolAnswer {
  const { code, text } = causeOf(error);
  const retryable = !(
    REFUSED.test(code) ||
    /CERT|SELF_SIGNED|ISSUER|ALTNAME|UNABLE_TO_/.test(code) ||
    /SSL/.test(text)
  );
  return failed('sql.connect', `the task '${label}' found no connection to ${shown(address)}: ${text}`, {
    retryable,
    details: code === '' ? {} : { code },
    ...pgOf(error),
  });
}

export const poolFailure = (label: string, address: ServerAddress, limit: number, seconds: number): ToolAnswer =>
  failed(
    'sql.busy',
    `the task '${label}' got none of the ${limit} connections to ${shown(address)} within ${seconds} s: all are in use. Let fewer tasks run at a time, or raise spec.timeout.`,
    { retryable: true },
  );

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there (ECONNREFUSED).',
  ENOTFOUND: 'there is no such host (ENOTFOUND).',
  EAI_AGAIN: 'the host could not be looked up (EAI_AGAIN).',
  ECONNRESET: 'the other side closed it (ECONNRESET).',
  CERT_HAS_EXPIRED: 'its certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself; sslrootcert may name it.',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by itself; sslrootcert may name it.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'nobody that is trusted has signed its certificate.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host.',
};

function causeOf(error: unknown): { readonly code: string; readonly text: string } {
  if (error instanceof ConnectTimeout) return { code: 'ETIMEDOUT', text: 'it did not answer in time.' };
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const code = first instanceof Error ? ((first as ServerError).code ?? '') : '';
  return { code, text: CAUSES[code] ?? `${first instanceof Error ? first.message : String(first)}.` };
}
