import { closeSync, openSync, readSync } from 'node:fs';
import { RESULT, SqliteFailure } from './database.ts';

const PIECE = 1024 * 1024;

/**
 * Reads the write-ahead log of a database that is about to be opened, and fails if that fails. Afterwards the system has
 * it in memory, where a checkpoint finds it.
 */
export function assertLogReadable(file: string): void {
  const log = `${file}-wal`;
  try {
    const handle = openSync(log, 'r');
    try {
      const piece = Buffer.allocUnsafe(PIECE);
      for (let read = PIECE; read > 0; ) read = readSync(handle, piece);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EACCES') return;
    throw new SqliteFailure(RESULT.disk, `'${log}' cannot be read: ${message}`, { cause: error });
  }
}
