import { parseExactJson } from '../../exact-json.ts';
import { failed } from '../answer.ts';
import { isMap } from '../checked-fields.ts';
import type { ToolAnswer } from '../define-tool.ts';
import type { StatementFailed } from '../sql/statement-failed.ts';

/** What DuckDB says of a failure. */
interface DuckDbError {
  readonly type: string;
  readonly message: string;
  /** The byte of the statement where it is. */
  readonly position?: number;
}

export function statementFailure(label: string, { statement, number, cause }: StatementFailed): ToolAnswer {
  const { type, message, position } = readError(cause);
  const what = `statement ${number} of the task '${label}'`;
  const details = { statement: number, type };
  // Two transactions changed the same rows: another try may find them free.
  const retryable = type === 'Transaction' || /conflict on (?:tuple|update|delete)/i.test(message);
  if (position === undefined) return failed('sql.failed', `${what} failed: ${message}`, { retryable, details });
  const offset = Buffer.from(statement.text).subarray(0, position).toString().length;
  const { line, column, text } = statement.placeOf(offset);
  return failed(
    'sql.failed',
    `${what} failed at line ${line}, column ${column}: ${message}\n${text}\n${' '.repeat(column - 1)}^`,
    {
      retryable,
      details: { ...details, line, column },
    },
  );
}

/** Why there is no database to talk to. */
export function openFailure(label: string, database: string, error: unknown): ToolAnswer {
  const { message } = readError(error);
  if (/could not set lock|being used by another process/i.test(message)) {
    const [, holder] = /\(PID (\d+)\)/.exec(message) ?? [];
    const by = holder === undefined ? 'another process' : `the process ${holder}`;
    return failed('sql.busy', `the task '${label}' cannot open ${database}: ${by} has it open for writing.`, {
      retryable: true,
      details: { database },
    });
  }
  return failed('sql.connect', `the task '${label}' cannot open ${database}: ${message}`, { details: { database } });
}

function readError(error: unknown): DuckDbError {
  const text = error instanceof Error ? error.message : String(error);
  const json = /\{.*\}$/s.exec(text)?.[0];
  const parsed = json === undefined ? undefined : parsedOr(json);
  if (!isMap(parsed)) return { type: /^(\w+) Error/.exec(text)?.[1] ?? '', message: text.replace(/^\w+ Error: /, '') };
  const { exception_type: type, exception_message: message, position } = parsed;
  return {
    type: String(type ?? ''),
    message: String(message ?? text),
    ...(position === undefined ? {} : { position: Number(position) }),
  };
}

function parsedOr(json: string): unknown {
  try {
    return parseExactJson(json);
  } catch {
    return undefined;
  }
}
