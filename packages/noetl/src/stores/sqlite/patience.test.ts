import { describe, expect, it } from 'vitest';
import { RESULT, SqliteFailure } from './driver/database.ts';
import { patiently } from './patience.ts';
import { storeFailure } from './store-failure.ts';

describe('a lock of another process', () => {
  const locked = () => {
    throw new SqliteFailure(RESULT.busy, 'database is locked');
  };

  it('is waited for', () => {
    let tries = 0;
    expect(patiently(() => (++tries < 5 ? locked() : tries))).toBe(5);
  });

  it('is an error that says what to do when it takes too long', () => {
    const failure = (() => {
      try {
        return patiently(locked, 20);
      } catch (error) {
        return storeFailure(error, 'data/noetl.db');
      }
    })();
    expect(failure).toMatchObject({
      code: 'NOETL_STORE_BUSY',
      message: "'data/noetl.db' is locked by another process for too long. Try again, or end that process.",
    });
  });

  it('is not what other failures are: they come at once', () => {
    let tries = 0;
    const broken = () => {
      tries++;
      throw new SqliteFailure(RESULT.corrupt, 'malformed');
    };
    expect(() => patiently(broken)).toThrow('malformed');
    expect(tries).toBe(1);
  });
});
