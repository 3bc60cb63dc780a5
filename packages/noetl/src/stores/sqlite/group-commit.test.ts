import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, RESULT, SqliteFailure } from './driver/database.ts';
import { createGroupCommit, type Request } from './group-commit.ts';
import { openFile } from './open-file.ts';

describe('a group commit', () => {
  let folder: string;
  let database: Database;
  /** What the disk says to the next commits. */
  let answers: number[];
  let statements: string[];
  const register = (path: string): Request => ['register', path, 'text', path, 0];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-commit-'));
    database = await openFile({ file: join(folder, 'a.db'), driver: undefined, look: false });
    answers = [];
    statements = [];
  });
  afterEach(async () => {
    database.close();
    await rm(folder, { recursive: true });
  });

  const perform = () =>
    createGroupCommit(
      {
        ...database,
        exec(sql) {
          statements.push(sql);
          const failure = sql === 'COMMIT' ? answers.shift() : undefined;
          if (failure !== undefined) throw new SqliteFailure(failure, 'the disk said no');
          database.exec(sql);
        },
      },
      'a.db',
    );

  it('is neither tried again nor followed by anything after the disk failed in it', () => {
    const asked = perform();
    answers = [RESULT.disk];
    const broken = { error: { code: 'NOETL_STORE_BROKEN', message: expect.stringContaining("'a.db'") } };
    expect(asked([register('a'), register('b')])).toMatchObject([broken, broken]);
    expect(statements).toEqual(['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK']);
    expect(asked([register('c'), ['playbook', 'a', undefined]])).toMatchObject([broken, broken]);
    expect(statements).toHaveLength(3);
  });

  it('is tried again for each request after any other failure, such as a full disk', () => {
    const asked = perform();
    answers = [RESULT.full];
    expect(asked([register('a'), register('b')])).toMatchObject([{ value: {} }, { value: {} }]);
    answers = [RESULT.full];
    expect(asked([register('c')])).toMatchObject([{ error: { code: 'NOETL_STORE_FULL' } }]);
    expect(asked([register('c')])).toMatchObject([{ value: {} }]);
  });

  it('waits for the disk, but for leases alone', () => {
    const asked = perform();
    const claim = (work: string, takeover: boolean): Request => [
      'claim',
      [{ execution: 'e', work, worker: 'w', ttl: 1_000, takeover }],
      0,
    ];
    const syncs = (requests: readonly Request[]) => {
      asked(requests);
      return database.prepare<{ readonly synchronous: number }>('PRAGMA synchronous').get()?.synchronous;
    };
    const [full, normal] = [2, 1];
    expect(syncs([register('a')])).toBe(full);
    expect(syncs([claim('1', false), claim('2', false)])).toBe(normal);
    expect(syncs([claim('3', false), register('b')])).toBe(full);
    expect(syncs([claim('4', false)])).toBe(normal);
    expect(syncs([claim('5', false), claim('6', true)])).toBe(full);
  });
});
