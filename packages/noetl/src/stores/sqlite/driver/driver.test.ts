import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RESULT } from './database.ts';
import { type DriverName, openDatabase } from './open-database.ts';

const available = async (driver: DriverName): Promise<boolean> =>
  openDatabase(':memory:', driver).then(
    (database) => {
      database.close();
      return true;
    },
    () => false,
  );
const DRIVERS = await Promise.all(
  (['node:sqlite', 'libsql'] as const).map(async (driver) => ({ driver, there: await available(driver) })),
);

describe.each(DRIVERS)('the driver $driver', ({ driver, there }) => {
  let folder: string;
  const open = (name = 'a.db') => openDatabase(join(folder, name), driver);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-driver-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it.skipIf(!there)('keeps whole numbers, texts and nothing as they are', async () => {
    const database = await open();
    database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, number INTEGER, text TEXT)');
    const insert = database.prepare('INSERT INTO t (number, text) VALUES (?, ?)');
    expect(insert.run(2 ** 53 - 1, 'ä 𝄞')).toEqual({ changes: 1, lastId: 1 });
    expect(insert.run(null, '')).toEqual({ changes: 1, lastId: 2 });
    const select = database.prepare(
      'SELECT number, text, typeof(number) AS type FROM t WHERE id >= ? ORDER BY id LIMIT ?',
    );
    expect(select.all(1, 9)).toMatchObject([
      { number: 2 ** 53 - 1, text: 'ä 𝄞', type: 'integer' },
      { number: null, text: '', type: 'null' },
    ]);
    expect(select.get(2, 1)).toMatchObject({ text: '' });
    expect(select.all(2, 9)).toHaveLength(1);
    expect(select.get(1, 1)).toMatchObject({ text: 'ä 𝄞' });
    expect(select.get(3, 1)).toBeUndefined();
    expect(select.all(3, 1)).toEqual([]);
    database.close();
  });

  it.skipIf(!there)('gives back more rows than come at a time', async () => {
    const database = await open();
    const count = database.prepare<{ readonly n: number }>(
      'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?) SELECT n FROM c',
    );
    for (const many of [1, 99, 100, 101, 250]) {
      expect(count.all(many).map(({ n }) => n)).toEqual(Array.from({ length: many }, (_, index) => index + 1));
    }
    database.close();
  });

  it.skipIf(!there)('tells what SQLite said when it failed', async () => {
    const database = await open();
    database.exec('CREATE TABLE t (id INTEGER PRIMARY KEY)');
    const insert = database.prepare('INSERT INTO t VALUES (?)');
    insert.run(1);
    expect(() => insert.run(1)).toThrow(expect.objectContaining({ name: 'SqliteFailure', result: 19 }));
    expect(() => database.exec('SELECT * FRO')).toThrow(expect.objectContaining({ result: 1 }));
    expect(() => database.prepare('SELECT * FRO')).toThrow(expect.objectContaining({ result: 1 }));
    expect(insert.run(2).changes).toBe(1);
    database.close();
    await expect(open('no/such/folder')).rejects.toMatchObject({ result: RESULT.cannotOpen });
    await writeFile(join(folder, 'text.db'), 'no database '.repeat(500));
    const text = await open('text.db');
    expect(() => text.prepare('PRAGMA user_version').get()).toThrow(
      expect.objectContaining({ result: RESULT.notADatabase }),
    );
    text.close();
  });

  it.skipIf(!there)('does not touch a file whose write-ahead log cannot be read', async () => {
    const database = await open();
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a)');
    database.close();
    const before = await readFile(join(folder, 'a.db'));
    // Of all things that cannot be read the one that every user can make.
    await mkdir(join(folder, 'a.db-wal'));
    const use = async (): Promise<void> => {
      const again = await open();
      again.prepare('SELECT * FROM t').all();
    };
    await expect(use()).rejects.toMatchObject({ name: 'SqliteFailure' });
    expect(await readFile(join(folder, 'a.db'))).toEqual(before);
  });

  it.skipIf(!there)('goes on after it was locked out', async () => {
    const [one, two] = [await open(), await open()];
    one.prepare('PRAGMA journal_mode = WAL').get();
    one.exec('CREATE TABLE t (a)');
    two.prepare('PRAGMA busy_timeout = 2').get();
    one.exec('BEGIN IMMEDIATE');
    expect(() => two.exec('BEGIN IMMEDIATE')).toThrow(expect.objectContaining({ result: RESULT.busy }));
    one.exec('COMMIT');
    two.exec('BEGIN IMMEDIATE');
    two.prepare('INSERT INTO t VALUES (1)').run();
    two.exec('COMMIT');
    expect(one.prepare('SELECT count(*) AS many FROM t').get()).toMatchObject({ many: 1 });
    one.close();
    two.close();
  });
});
