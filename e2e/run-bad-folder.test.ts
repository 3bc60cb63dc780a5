import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../packages/noetl/src/stores/sqlite/driver/open-database.ts';
import { mountSmallDisk, SMALL_DISKS } from '../packages/noetl/src/stores/sqlite/small-disk.testing.ts';
import { openProgram, type Program, root } from './program.testing.ts';
import { intactExecutions } from './stored-log.testing.ts';

const TIMEOUT = 180_000;
const HELLO = join(root, 'examples/hello.yaml');
/** Who owns nothing. Only root can be somebody else. */
const NOBODY = 65_534;
const CAN_BE_NOBODY =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, [join(root, 'packages/noetl/dist/bundle/main.js'), '--version'], {
    uid: NOBODY,
    gid: NOBODY,
  }).status === 0;

describe('a request that cannot be met', { timeout: TIMEOUT }, () => {
  let program: Program;
  beforeAll(() => {
    program = openProgram();
  });
  afterAll(() => program.close());

  /** Ends with the code, one sentence on standard error and nothing else. */
  async function expectRefused(args: readonly string[], code: number, sentence: RegExp, uid?: number): Promise<void> {
    const ending = await program.run(args, uid === undefined ? {} : { uid });
    expect(ending).toMatchObject({ code, signal: null, stdout: '' });
    expect(ending.stderr).toMatch(sentence);
    expect(ending.stderr).toMatch(/^error: /);
    expect(ending.stderr).not.toMatch(/^\s+at /m);
  }

  it.concurrent.each<[given: string, args: string[], code: number, sentence: RegExp]>([
    ['--set without a value', [HELLO, '--set', 'name'], 2, /--set name: write NAME=VALUE/],
    ['--set without a name', [HELLO, '--set', '=Ada'], 2, /--set =Ada: write NAME=VALUE/],
    ['--payload that is a list', [HELLO, '--payload', '[1]'], 2, /--payload holds a list/],
    ['--payload that is no JSON', [HELLO, '--payload', '{"a": }'], 2, /--payload:1:7 is not valid JSON/],
    ['--payload of a missing file', [HELLO, '--payload', '@none.json'], 2, /cannot read the payload.*none\.json/],
    ['--resume of nothing', ['--resume', 'nothing'], 2, /there is no data folder/],
    ['--resume beside a file', [HELLO, '--resume', 'nothing'], 2, /leave the other one out/],
    ['--resume with --set', ['--resume', 'nothing', '--set', 'a=1'], 2, /--set and --payload are part of a request/],
    ['no playbook', [], 2, /name the playbook to run/],
    ['--slots of nothing', [HELLO, '--slots', '0'], 2, /expected a whole number from 1 on/],
  ])('because of %s is refused in a sentence', async (_, args, code, sentence) => {
    const data = program.newData();
    await expectRefused(['run', ...args, '--data', data], code, sentence);
    expect(existsSync(data)).toBe(false);
  });

  it.concurrent('because its payload is nested too deep is refused in a sentence, and nothing is written', async () => {
    const data = program.newData();
    const deep = `${'{"a":'.repeat(700)}1${'}'.repeat(700)}`;
    await expectRefused(['run', HELLO, '--payload', deep, '--data', data], 2, /NOETL_DATA_TOO_DEEP: .* 500 levels/);
    expect(await intactExecutions(program, data)).toEqual([]);
  });

  it.concurrent('because a file is where the data folder should be is refused in a sentence', async () => {
    const data = program.newData();
    writeFileSync(data, 'a file');
    const sentence = new RegExp(`'${data}' is a file`);
    await expectRefused(['run', HELLO, '--data', data], 2, sentence);
    await expectRefused(['catalog', 'register', HELLO, '--data', data], 2, sentence);
    for (const args of [['run', HELLO], ['exec', 'list'], ['catalog', 'register', HELLO], ['doctor']]) {
      await expectRefused([...args, '--data', ''], 2, /--data is empty/);
    }
    await expectRefused(['run', '--resume', 'nothing', '--data', data], 2, sentence);
    await expectRefused(['exec', 'list', '--data', data], 2, sentence);
    expect(readFileSync(data, 'utf8')).toBe('a file');
  });

  it.concurrent('because no data folder can be made there is refused at once', async () => {
    for (const data of ['/proc/none', '/proc/none/below']) {
      await expectRefused(
        ['run', HELLO, '--data', data],
        1,
        /NOETL_STORE_READONLY: the data folder '.*' cannot be made/,
      );
      await expectRefused(['exec', 'list', '--data', data], 2, /there is no data folder/);
    }
  });

  it.concurrent('because the folder holds no executions is refused in a sentence, and leaves the folder as it is', async () => {
    const data = program.newData();
    mkdirSync(data);
    await expectRefused(['exec', 'list', '--data', data], 2, /there are no executions in .*noetl run/);
    expect(readdirSync(data)).toEqual([]);
  });

  it.skipIf(!CAN_BE_NOBODY)(
    'because the data folder may not be written is refused in a sentence',
    { concurrent: true },
    async () => {
      chmodSync(program.folder, 0o755);
      const data = program.newData();
      mkdirSync(data);
      await expectRefused(['run', HELLO, '--data', data], 1, /NOETL_STORE_READONLY/, NOBODY);
      await expectRefused(['run', HELLO, '--data', join(data, 'inner')], 1, /NOETL_STORE_READONLY/, NOBODY);
      expect(readdirSync(data)).toEqual([]);
    },
  );

  async function usedFolder(): Promise<{ data: string; id: string }> {
    const data = program.newData();
    const { code } = await program.run(['run', HELLO, '--data', data, '--quiet']);
    expect(code).toBe(0);
    const [execution] = await intactExecutions(program, data);
    return { data, id: execution?.id ?? '' };
  }

  it.skipIf(!CAN_BE_NOBODY)(
    'is met where reading is enough, in a data folder that may not be written',
    { concurrent: true },
    async () => {
      chmodSync(program.folder, 0o755);
      const data = program.newData();
      const file = program.playbook(
        'read_only',
        `workflow: [{ step: start, tool: [{ act: { kind: shell, cmds: ["echo hello; seq 20000"] } }] }]\n`,
      );
      expect(await program.run(['run', file, '--data', data, '--quiet'])).toMatchObject({ code: 0 });
      const [execution] = await intactExecutions(program, data);
      const id = execution?.id ?? '';
      for (const args of [['list'], ['status', id], ['events', id], ['result', id], ['logs', id]]) {
        const look = ['exec', ...args, '--data', data];
        const { code, stdout, stderr } = await program.run(look, { uid: NOBODY });
        expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
        expect(stdout).toBe((await program.run(look)).stdout);
      }
      await expectRefused(['run', '--resume', id, '--data', data], 1, /NOETL_STORE_READONLY/, NOBODY);
    },
  );

  it.concurrent('because the data folder is newer than the program is refused in a sentence', async () => {
    const { data, id } = await usedFolder();
    const database = await openDatabase(join(data, 'noetl.db'));
    database.exec('PRAGMA user_version = 99');
    database.close();
    const sentence =
      /NOETL_STORE_NEWER: '.*noetl\.db' has schema version 99, .* Update noetl, or use another folder\.\n$/;
    await expectRefused(['run', HELLO, '--data', data], 1, sentence);
    await expectRefused(['exec', 'status', id, '--data', data], 1, sentence);
  });

  it.concurrent('because the data folder is damaged is refused in a sentence', async () => {
    const { data, id } = await usedFolder();
    const file = await open(join(data, 'noetl.db'), 'r+');
    const { size } = await file.stat();
    // All but the first page, which says that it is a database of ours.
    await file.write(Buffer.alloc(size - 4_096, 0xa5), 0, size - 4_096, 4_096);
    await file.close();
    for (const args of [
      ['run', HELLO],
      ['run', '--resume', id],
      ['exec', 'list'],
      ['exec', 'events', id],
    ]) {
      await expectRefused([...args, '--data', data], 1, /NOETL_STORE_CORRUPT/);
    }
    writeFileSync(join(data, 'noetl.db'), 'no database at all '.repeat(1_000));
    await expectRefused(['run', HELLO, '--data', data], 1, /NOETL_STORE_CORRUPT/);
  });

  it.concurrent('because a stored result is gone is refused in a sentence', async () => {
    const data = program.newData();
    const file = program.playbook(
      'large_result',
      `workflow: [{ step: start, tool: [{ act: { kind: noop, result: "{{ 'x' * 100000 }}" } }] }]\n`,
    );
    expect(await program.run(['run', file, '--data', data, '--quiet'])).toMatchObject({ code: 0 });
    const [execution] = await intactExecutions(program, data);
    rmSync(join(data, 'results'), { recursive: true });
    await expectRefused(['exec', 'result', execution?.id ?? '', '--data', data], 1, /the stored result .* is missing/);
  });

  it.skipIf(!SMALL_DISKS)(
    'because the disk is full ends with a sentence, and goes on when there is space',
    { concurrent: true },
    async () => {
      const data = program.newData();
      mkdirSync(data);
      const disk = mountSmallDisk(data, 2);
      try {
        const file = program.playbook(
          'fills',
          `workflow:
  - step: start
    loop: { in: "{{ range(100) | list }}", iterator: n, spec: { mode: sequential } }
    tool: [{ act: { kind: noop, result: "{{ iter.n }}{{ 'x' * 40000 }}" } }]
    next: { arcs: [{ step: count }] }
  - step: count
    tool: [{ act: { kind: noop, result: "{{ results.start | length }}" } }]
`,
        );
        await expectRefused(
          ['run', file, '--data', data, '--quiet'],
          1,
          /NOETL_STORE_FULL: [\s\S]*noetl run --resume \S+ --data \S+\n$/,
        );
        disk.resize(100);
        const [before] = await intactExecutions(program, data);
        const { code, stdout } = await program.run(['run', '--resume', before?.id ?? '', '--data', data, '--quiet']);
        expect({ code, stdout }).toEqual({ code: 0, stdout: '100\n' });
        await intactExecutions(program, data);
      } finally {
        disk.remove();
      }
    },
  );
});
