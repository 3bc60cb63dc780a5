import { isUtf8 } from 'node:buffer';
import { RESULT, SqliteFailure } from '../driver/database.ts';

/**
 * A text that is read as bytes: `CAST(… AS BLOB)`. libsql ends the process when it meets a text that is no UTF-8, and all
 * drivers cut texts off at a NUL; so whatever must survive a damaged file, or find the damage, reads bytes.
 */
export type StoredText = ArrayBuffer | Uint8Array | string | number | null;

export const bytesOf = (stored: StoredText): Buffer =>
  stored instanceof ArrayBuffer
    ? Buffer.from(stored)
    : stored instanceof Uint8Array
      ? Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
      : Buffer.from(String(stored ?? ''));

/** The text as far as it is one: what is no UTF-8 becomes U+FFFD. For those who compare it with a hash. */
export const anyTextOf = (stored: StoredText): string => bytesOf(stored).toString('utf8');

/** The text of a column; a file that holds something else there is damaged. */
export function textOf(stored: StoredText, column: string): string {
  const bytes = bytesOf(stored);
  if (!isUtf8(bytes)) throw new SqliteFailure(RESULT.corrupt, `${column} holds bytes that are no text`);
  return bytes.toString('utf8');
}

/** The JSON in a column; a file that holds something else there is damaged. */
export function jsonOf<T>(stored: StoredText, column: string): T {
  const text = textOf(stored, column);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SqliteFailure(RESULT.corrupt, `${column} holds something that is no JSON`, { cause: error });
  }
}

/** Columns that are read as bytes. */
export const asBytes = (...columns: readonly string[]): string =>
  columns.map((column) => `CAST(${column} AS BLOB) AS ${column}`).join(', ');
