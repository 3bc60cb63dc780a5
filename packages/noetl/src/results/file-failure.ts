import { StoreError } from '../ports/store-error.ts';

/** A failure of the file system as users may read it: what happened to which folder, and what to do. */
export function fileFailure(error: unknown, folder: string): StoreError {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  const options = { cause: error };
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const text = `the disk is full: nothing can be stored in '${folder}'. Make space and go on.`;
    return new StoreError('NOETL_STORE_FULL', text, { folder }, options);
  }
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
    const text = `'${folder}' cannot be used. Check the permissions of the folder and of what is in it.`;
    return new StoreError('NOETL_STORE_READONLY', text, { folder }, options);
  }
  // A second try would prove nothing: the system may have dropped what it could not write.
  if (syscall === 'fsync') {
    const text = `the disk failed while something was stored in '${folder}': ${message}. Nothing more is written by this process. Look into the system's log, and go on when the disk is well.`;
    return new StoreError('NOETL_STORE_BROKEN', text, { folder }, options);
  }
  return new StoreError('NOETL_STORE_IO', `'${folder}' cannot be used: ${message}`, { folder }, options);
}
