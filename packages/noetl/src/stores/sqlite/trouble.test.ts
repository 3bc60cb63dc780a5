import { chmod, cp, mkdir, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followChain } from '../../ports/inspection.ts';
import { append } from '../../ports/log-under-test.testing.ts';
import { note, notes } from '../../ports/sample-events.testing.ts';
import type { Store } from '../../ports/store.ts';
import type { StoreError } from '../../ports/store-error.ts';
import { createVirtualClock } from '../../ports/virtual-clock.testing.ts';
import { createFileResults } from '../../results/files.ts';
import { openDatabase } from './driver/open-database.ts';
import { MIGRATIONS } from './migrations.ts';
import { mountSmallDisk, SMALL_DISKS, type SmallDisk } from './small-disk.testing.ts';
import { openSqliteStore, STORE_FILE } from './store.ts';

const APPENDED = [{ kind: 'appended' }];
const isRoot = process.getuid?.() === 0;

describe('the SQLite store in trouble', () => {
  let folder: string;
  const clock = createVirtualClock();
  const openIn = (where: string) => openSqliteStore(where, clock, { thread: false });
  const openFailure = (where: string, thread = false): Promise<StoreError> =>
    openSqliteStore(where, clock, { thread }).then(
      () => Promise.reject(new Error('it was opened')),
      (error) => error,
    );
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'noetl-trouble-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function damaged(sql: string): Promise<void> {
    await (await openIn(folder)).close();
    const database = await openDatabase(join(folder, STORE_FILE));
    database.exec(sql);
    database.close();
  }

  it('refuses a file of a newer version, and names both versions', async () => {
    await damaged('PRAGMA user_version = 99');
    for (const thread of [false, true]) {
      const { code, message, fields } = await openFailure(folder, thread);
      expect(code).toBe('NOETL_STORE_NEWER');
      expect(message).toContain(`has schema version 99, this program knows up to version ${MIGRATIONS.length}`);
      expect(fields).toEqual({ file: join(folder, STORE_FILE), found: 99, supported: MIGRATIONS.length });
    }
  });

  it('refuses a database of another program, and does not touch it', async () => {
    const database = await openDatabase(join(folder, STORE_FILE));
    database.exec('CREATE TABLE users (name TEXT)');
    database.close();
    expect(await openFailure(folder)).toMatchObject({
      code: 'NOETL_STORE_CORRUPT',
      message: expect.stringContaining('database of another program'),
    });
  });

  it('refuses a file that is no database', async () => {
    await writeFile(join(folder, STORE_FILE), 'something else '.repeat(1_000));
    expect(await openFailure(folder)).toMatchObject({
      code: 'NOETL_STORE_CORRUPT',
      message: expect.stringContaining(`'${join(folder, STORE_FILE)}' is damaged`),
    });
  });

  it('says so when a page of the file is damaged, and answers what is not on it', async () => {
    const store = await openIn(folder);
    for (let nth = 0; nth < 20; nth++) {
      await store.log.append([append(`e${nth}`, 0, { events: [note(`e${nth}`, 1, 'x'.repeat(20_000))] })]);
    }
    await store.catalog.register('p', 'text', 'hash', 0);
    await store.close();
    const database = await openDatabase(join(folder, STORE_FILE));
    database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    const page = database
      .prepare<{ readonly rootpage: number }>("SELECT rootpage FROM sqlite_schema WHERE name = 'events'")
      .get()?.rootpage;
    database.close();
    const file = await open(join(folder, STORE_FILE), 'r+');
    await file.write(Buffer.alloc(4_096, 0xa5), 0, 4_096, ((page ?? 0) - 1) * 4_096);
    await file.close();

    const again = await openIn(folder);
    await expect(again.log.read('e3', 0, 9)).rejects.toMatchObject({ code: 'NOETL_STORE_CORRUPT' });
    await expect(again.log.append([append('e3', 1)])).rejects.toMatchObject({ code: 'NOETL_STORE_CORRUPT' });
    expect(await again.catalog.get('p')).toMatchObject({ text: 'text' });
    await again.close();
  });

  it('says so when a text of an event or of an execution is none, which libsql would not survive', async () => {
    const store = await openIn(folder);
    for (const execution of ['a', 'b']) {
      await store.log.append([append(execution, 0, { events: notes(execution, 0, 3) })]);
    }
    await store.close();
    const database = await openDatabase(join(folder, STORE_FILE));
    database.exec("UPDATE events SET bodies = CAST(unhex('7bff7d') AS TEXT) WHERE execution = 1");
    database.exec("UPDATE executions SET path = CAST(unhex('ff') AS TEXT) WHERE id = 2");
    database.close();
    const again = await openIn(folder);
    const failure = (column: string) => ({ code: 'NOETL_STORE_CORRUPT', message: expect.stringContaining(column) });
    await expect(again.log.read('a', 0, 9)).rejects.toMatchObject(failure('events.bodies'));
    await expect(again.executions.get('b')).rejects.toMatchObject(failure('executions.path'));
    await expect(again.executions.list({}, undefined, 9)).rejects.toMatchObject(failure('executions.path'));
    expect(await again.log.read('b', 0, 9)).toHaveLength(3);
    await again.close();
  });

  const BESIDE: readonly (readonly [column: string, look: (store: Store) => Promise<unknown>])[] = [
    ['catalog.path', ({ catalog }) => catalog.byHash('hash')],
    ['catalog.text', ({ catalog }) => catalog.get('p')],
    ['catalog.text', ({ catalog }) => catalog.list('', 9)],
    ['catalog.text', ({ catalog }) => catalog.history('p', undefined, 9)],
    ['catalog.original', ({ catalog }) => catalog.get('p')],
    ['catalog.content_hash', ({ catalog }) => catalog.get('p')],
    ['tool_logs.text', ({ toolLogs }) => toolLogs.read({ execution: 'a' }, 0, 9)],
    ['tool_logs.task_run', ({ toolLogs }) => toolLogs.read({ execution: 'a' }, 0, 9)],
    ['tool_logs.stream', ({ toolLogs }) => toolLogs.read({ execution: 'a', taskRun: 't' }, 0, 9)],
    ['control_inputs.body', ({ inputs }) => inputs.list(0, 9)],
    ['control_inputs.execution_id', ({ inputs }) => inputs.list(0, 9)],
  ];

  it.each(BESIDE)('says so when %s is no text, or not what it should be', async (column, look) => {
    const store = await openIn(folder);
    await store.catalog.register('p', 'text', 'hash', 0);
    await store.toolLogs.append([{ execution: 'a', taskRun: 't', attempt: 1, stream: 'stdout', at: 0, text: 'hi' }]);
    await store.inputs.put('a', { kind: 'pause', reason: null, by: null }, 0);
    await store.close();
    const [table, name] = column.split('.');
    const damages =
      name === 'text' || name === 'original' || name === 'body'
        ? ["CAST(unhex('22ff22') AS TEXT)", "'{'"]
        : ["CAST(unhex('ff') AS TEXT)"];
    for (const damage of damages) {
      const database = await openDatabase(join(folder, STORE_FILE));
      database.exec(`UPDATE ${table} SET ${name} = ${damage}`);
      database.close();
      const again = await openIn(folder);
      await expect(look(again)).rejects.toMatchObject({
        code: 'NOETL_STORE_CORRUPT',
        message: expect.stringContaining(column),
      });
      await again.close();
    }
  });

  it('cannot be where a file is', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await openFailure(join(folder, 'file'))).toMatchObject({
      code: 'NOETL_STORE_READONLY',
      message: expect.stringContaining('is a file'),
    });
    expect(await openFailure(join(folder, 'file', 'below'))).toMatchObject({ code: 'NOETL_STORE_READONLY' });
  });

  it('says at once where no folder can be made, though the one above is there', async () => {
    expect(await openFailure('/proc/none')).toMatchObject({
      code: 'NOETL_STORE_READONLY',
      message: expect.stringContaining("the data folder '/proc/none' cannot be made"),
    });
    expect(await openFailure('/proc/none/below')).toMatchObject({ code: 'NOETL_STORE_READONLY' });
  });

  it.skipIf(isRoot)('says so when the folder may not be written', async () => {
    await chmod(folder, 0o500);
    expect(await openFailure(folder)).toMatchObject({ code: 'NOETL_STORE_READONLY' });
    await chmod(folder, 0o700);
  });

  it('refuses what is asked for after it was closed, not what was asked for before', async () => {
    for (const thread of [false, true]) {
      const store = await openSqliteStore(join(folder, `${thread}`), clock, { thread });
      const before = store.log.append([append('a', 0)]);
      await store.close();
      await store.close();
      expect(await before).toEqual(APPENDED);
      await expect(store.log.position('a')).rejects.toMatchObject({ code: 'NOETL_STORE_CLOSED' });
    }
  });

  it('can be opened by many at once, also where there is nothing yet', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => openSqliteStore(join(folder, 'new'), clock)));
    const answers = await Promise.all(stores.map(({ log }, nth) => log.append([append(`e${nth}`, 0)])));
    expect(answers).toEqual(stores.map(() => APPENDED));
    for (const store of stores) await store.close();
  });

  it('settles what a dead process left in the write-ahead log before anything rests on it', async () => {
    const store = await openIn(join(folder, 'first'));
    await store.log.append([append('a', 0, { events: notes('a', 0, 3) })]);
    await cp(join(folder, 'first'), join(folder, 'left'), { recursive: true });
    await store.close();
    const next = await openIn(join(folder, 'left'));
    // The file alone holds all of it, without the write-ahead log.
    await mkdir(join(folder, 'alone'));
    await cp(join(folder, 'left', STORE_FILE), join(folder, 'alone', STORE_FILE));
    await next.close();
    const alone = await openIn(join(folder, 'alone'));
    expect(await alone.log.read('a', 0, 9)).toHaveLength(3);
    await alone.close();
  });

  it('waits for another process that writes', async () => {
    const store = await openSqliteStore(folder, clock);
    const other = await openDatabase(join(folder, STORE_FILE));
    other.exec('BEGIN IMMEDIATE');
    const waiting = store.log.append([append('a', 0)]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    other.exec('COMMIT');
    expect(await waiting).toEqual(APPENDED);
    other.close();
    await store.close();
  });

  describe.skipIf(!SMALL_DISKS)('on a small disk (needs root and mount)', () => {
    let disk: string;
    let mounted: SmallDisk;
    beforeEach(async () => {
      disk = join(folder, 'disk');
      await mkdir(disk);
      mounted = mountSmallDisk(disk, 3);
    });
    afterEach(() => mounted.remove());

    it('says that the disk is full, keeps what was acknowledged, and goes on when there is space', async () => {
      const store = await openSqliteStore(disk, clock);
      let position = 0;
      const grow = () => {
        const events = [note('a', position + 1, 'x'.repeat(50_000))];
        return store.log.append([append('a', position, { events })]);
      };
      const failure = await (async () => {
        for (; position < 1_000; position++) await grow();
        return undefined;
      })().catch((error) => error);
      expect(failure).toMatchObject({ code: 'NOETL_STORE_FULL', message: expect.stringContaining('disk is full') });
      await expect(createFileResults(join(disk, 'results')).put('x'.repeat(3_000_000))).rejects.toMatchObject({
        code: 'NOETL_STORE_FULL',
      });
      expect(await store.log.position('a')).toBe(position);
      expect(await followChain(store.inspection, 'a')).toMatchObject({ position, hash: expect.any(String) });

      mounted.resize(30);
      expect(await grow()).toEqual(APPENDED);
      await createFileResults(join(disk, 'results')).put('x'.repeat(3_000_000));
      expect(await followChain(store.inspection, 'a')).toMatchObject({
        position: position + 1,
        hash: expect.any(String),
      });
      await store.close();
    });

    it('says so when the disk cannot be written', async () => {
      const store = await openSqliteStore(disk, clock);
      await store.log.append([append('a', 0, { events: notes('a', 0, 3) })]);
      await store.close();
      mounted.protect();
      expect(await openFailure(disk)).toMatchObject({ code: 'NOETL_STORE_READONLY' });
      expect(await openFailure(join(disk, 'new'))).toMatchObject({ code: 'NOETL_STORE_READONLY' });
    });

    const lookAt = (where: string) => openSqliteStore(where, clock, { thread: false, look: true });

    it('can be looked at where the disk cannot be written, and says so to who wants more', async () => {
      const store = await openSqliteStore(disk, clock);
      await store.log.append([append('a', 0, { events: notes('a', 0, 3) })]);
      await store.close();
      mounted.protect();
      const look = await lookAt(disk);
      expect(await look.log.read('a', 0, 9)).toHaveLength(3);
      expect(await followChain(look.inspection, 'a')).toMatchObject({ position: 3, hash: expect.any(String) });
      await expect(look.log.append([append('a', 3)])).rejects.toMatchObject({ code: 'NOETL_STORE_READONLY' });
      await look.close();
    });

    it('can be looked at where the disk cannot be written, also after a crash', async () => {
      const store = await openSqliteStore(disk, clock);
      await store.log.append([append('a', 0, { events: notes('a', 0, 3) })]);
      // What a killed process leaves behind.
      await cp(disk, join(folder, 'left'), { recursive: true });
      await store.close();
      for (const name of await readdir(disk)) await rm(join(disk, name));
      await cp(join(folder, 'left'), disk, { recursive: true });
      mounted.protect();
      const look = await lookAt(disk);
      expect(await look.log.read('a', 0, 9)).toHaveLength(3);
      await look.close();
    });

    it('says so where an older release wrote what is to be looked at', async () => {
      await (await openSqliteStore(disk, clock)).close();
      const database = await openDatabase(join(disk, STORE_FILE));
      database.exec('PRAGMA user_version = 0');
      database.close();
      mounted.protect();
      await expect(lookAt(disk)).rejects.toMatchObject({
        code: 'NOETL_STORE_READONLY',
        message: expect.stringMatching(/an older release wrote it\. Copy the folder/),
      });
    });

    it('says what is in the way where a look would have to write', async () => {
      const store = await openSqliteStore(disk, clock);
      await store.log.append([append('a', 0, { events: notes('a', 0, 3) })]);
      await cp(disk, join(folder, 'left'), { recursive: true });
      await store.close();
      for (const name of await readdir(disk)) await rm(join(disk, name));
      await cp(join(folder, 'left'), disk, { recursive: true });
      await rm(join(disk, `${STORE_FILE}-shm`));
      mounted.protect();
      await expect(lookAt(disk)).rejects.toMatchObject({
        code: 'NOETL_STORE_READONLY',
        message: expect.stringMatching(/noetl\.db-wal' holds .*Copy the folder/),
      });
    });
  });
});
