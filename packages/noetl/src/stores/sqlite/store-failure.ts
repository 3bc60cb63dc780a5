import { StoreError, type StoreErrorCode } from '../../ports/store-error.ts';
import { RESULT, SqliteFailure } from './driver/database.ts';

/** A failure of the database as users may read it: what happened to which file, and what to do. */
export function storeFailure(error: unknown, file: string): StoreError {
  if (error instanceof StoreError) return error;
  const said = error instanceof Error ? error.message : String(error);
  const [code, message] = explained(error instanceof SqliteFailure ? error.result : undefined, file, said);
  return new StoreError(code, message, { file }, { cause: error });
}

/**
 * The disk failed in the middle of a write. Whether the write is kept is not known, and a later sync that succeeds proves
 * nothing: the system may have dropped what it could not write. So the connection is not used again, and nothing is done
 * that would rest on the write; whoever opens the file next finds what it holds.
 */
export function brokenBy(error: unknown, file: string): StoreError | undefined {
  if (!(error instanceof SqliteFailure) || error.result !== RESULT.disk) return undefined;
  const message = `the disk failed while '${file}' was written: ${error.message}. Nothing more is written by this process. Look into the system's log, and go on when the disk is well.`;
  return new StoreError('NOETL_STORE_BROKEN', message, { file }, { cause: error });
}

function explained(result: number | undefined, file: string, said: string): readonly [StoreErrorCode, string] {
  switch (result) {
    case RESULT.full:
      return ['NOETL_STORE_FULL', `the disk is full: '${file}' cannot grow. Make space and go on.`];
    case RESULT.readOnly:
    case RESULT.permission:
      return ['NOETL_STORE_READONLY', `'${file}' cannot be written. Check the permissions of the file and its folder.`];
    case RESULT.cannotOpen:
      return ['NOETL_STORE_READONLY', `'${file}' cannot be opened. Check the permissions of the file and its folder.`];
    case RESULT.corrupt:
    case RESULT.notADatabase:
      return ['NOETL_STORE_CORRUPT', `'${file}' is damaged: ${said}. Restore it from a backup, or use another folder.`];
    case RESULT.busy:
    case RESULT.locked:
      return [
        'NOETL_STORE_BUSY',
        `'${file}' is locked by another process for too long. Try again, or end that process.`,
      ];
    default:
      return ['NOETL_STORE_IO', `'${file}' cannot be used: ${said}`];
  }
}
