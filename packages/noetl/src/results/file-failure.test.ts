import { describe, expect, it } from 'vitest';
import { fileFailure } from './file-failure.ts';

const failed = (code: string, syscall: string) =>
  fileFailure(Object.assign(new Error(`${code}: said the disk, ${syscall}`), { code, syscall }), 'results');

describe('a failure of the file system', () => {
  it('in a sync is final for this process: a second one would prove nothing', () => {
    expect(failed('EIO', 'fsync')).toMatchObject({
      code: 'NOETL_STORE_BROKEN',
      message: expect.stringContaining("'results'"),
    });
  });

  it('is called what it is otherwise', () => {
    expect(failed('ENOSPC', 'write').code).toBe('NOETL_STORE_FULL');
    expect(failed('ENOSPC', 'fsync').code).toBe('NOETL_STORE_FULL');
    expect(failed('EACCES', 'open').code).toBe('NOETL_STORE_READONLY');
    expect(failed('EIO', 'read').code).toBe('NOETL_STORE_IO');
  });
});
