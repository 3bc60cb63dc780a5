import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followedRun } from './followed-run.testing.ts';
import { openProgram, type Program, root } from './program.testing.ts';
import { detachedServer } from './server.testing.ts';
import { intactExecutions } from './stored-log.testing.ts';

const TIMEOUT = 240_000;

/** Tests of `noetl run` that are not run a second time by a server (`ways.testing.ts`), and why. */
const FOLDER_ALONE: Readonly<Record<string, string>> = {
  'run-bad-disk.test.ts':
    "fills the disk of the process that runs; a server's disk is filled by npm run chaos -- --server",
  'run-bad-folder.test.ts': 'a folder that cannot be used is refused by whoever opens it: server start',
  'run-crash-loop.test.ts': 'kills the process that runs, again and again; for a server: npm run chaos -- --server',
  'run-crash-points.test.ts': 'kills the process that runs at every commit; for a server: npm run chaos -- --server',
  'run-killed.test.ts': 'kills the process that runs; for a server: server.test.ts',
  'keychain.test.ts':
    'each test has an environment of its own, and a server keeps the one that it began with; its secrets: run-keychain-examples',
  'result-stores.test.ts':
    'names stores by the environment of each run; those of a server: run-examples, with-postgres and with-nats',
  'seed-examples.test.ts': 'validates and migrates; what runs is in run-examples and legacy',
  'canary.test.ts': 'looks for secrets in every file of a run; those of a server: npm run fuzz:api',
  'canary-stores.test.ts': 'as canary.test.ts',
};

describe('what commands do by a server', { timeout: TIMEOUT }, () => {
  let program: Program;
  let data: string;
  let url: string;
  beforeAll(async () => {
    program = openProgram();
    data = program.newData();
    const cwd = join(program.folder, 'elsewhere');
    mkdirSync(cwd);
    url = await detachedServer(program, data, { cwd });
  }, TIMEOUT);
  afterAll(async () => {
    await program.run(['server', 'stop', '--data', data]);
    await intactExecutions(program, data);
    await program.close();
  }, TIMEOUT);

  it('are all that a run does, but for what only a folder can have', () => {
    const folder = fileURLToPath(new URL('.', import.meta.url));
    const tests = readdirSync(folder).filter((name) => /^run-.*\.test\.ts$/.test(name));
    const alone = tests.filter((name) => !readFileSync(join(folder, name), 'utf8').includes('describe.each(WAYS)'));
    expect(alone.filter((name) => FOLDER_ALONE[name] === undefined)).toEqual([]);
  });

  it.each(['hello.yaml', 'parent-and-children.yaml', 'shell.yaml'])(
    'runs examples/%s as this process would',
    async (name) => {
      const file = join(root, 'examples', name);
      const told = async (...place: string[]) => {
        const { code, stdout } = await program.run(['run', file, '--json', ...place]);
        const events = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
        // A server knows a playbook by its path, and this process by its file.
        const result = JSON.stringify(events.at(-1)?.payload.result).replaceAll(
          file,
          `examples/${basename(name, '.yaml')}`,
        );
        return { code, result, names: events.map((event) => event.name).sort() };
      };
      expect(await told('--server', url)).toEqual(await told('--data', program.newData()));
    },
  );

  it.each(['status', 'events', 'events --explain', 'result', 'logs', 'state', 'graph', 'timeline', 'verify', 'watch'])(
    'tells the same by `exec %s` as on the folder',
    async (command) => {
      const { stdout } = await program.run(['exec', 'list', '--top', '--json', '--data', data]);
      const known: readonly { execution_id: string; path: string }[] = JSON.parse(stdout);
      for (const path of ['examples/parent-and-children', 'examples/shell']) {
        const id = known.find((entry) => entry.path === path)?.execution_id ?? basename(path);
        const [name = '', ...options] = command.split(' ');
        const asked = (...place: string[]) => program.run(['exec', name, id, ...options, '--json', ...place]);
        const [here, there] = [await asked('--data', data), await asked('--server', url)];
        expect([there.code, there.stdout, there.stderr]).toEqual([here.code, here.stdout, here.stderr]);
      }
    },
  );

  it('lists, registers and gets playbooks, keeps credentials, and compares and forks executions', async () => {
    const there = (...args: string[]) => program.run([...args, '--server', url]);
    const here = (...args: string[]) => program.run([...args, '--data', data]);
    for (const args of [
      ['exec', 'list', '--json'],
      ['catalog', 'list', '--json'],
      ['catalog', 'list', 'examples/hello'],
    ]) {
      expect((await there(...args)).stdout).toBe((await here(...args)).stdout);
    }
    const set = await program.run(['credential', 'set', 'key', '--kind', 'bearer', '--server', url], {
      input: 'abcdef1234',
    });
    expect([set.code, set.stderr]).toEqual([0, '']);
    expect((await here('credential', 'list', '--json')).stdout).toBe(
      (await there('credential', 'list', '--json')).stdout,
    );
    expect((await there('credential', 'rm', 'key')).code).toBe(0);
    const [{ execution_id: id }] = JSON.parse(
      (await here('exec', 'list', '--path', 'examples/hello', '--json')).stdout,
    );
    const forked = await there('exec', 'fork', id, '--at', '3', '--set', 'name=Ada', '--quiet');
    expect(JSON.parse(forked.stdout)).toEqual({ greeting: 'Hello, Ada!' });
    const [{ execution_id: fork }] = JSON.parse((await here('exec', 'list', '--limit', '1', '--json')).stdout);
    const diff = ['exec', 'diff', id, fork, '--json'];
    expect((await there(...diff)).stdout).toBe((await here(...diff)).stdout);
  });

  it('runs in the server that runs on the folder, where there is one', async () => {
    const { stdout, code } = await program.run(['run', join(root, 'examples/hello.yaml'), '--json', '--data', data]);
    expect(code).toBe(0);
    const [first] = stdout.split('\n');
    const status = await program.run(['exec', 'list', '--limit', '1', '--json', '--server', url]);
    expect(JSON.parse(status.stdout)[0].execution_id).toBe(JSON.parse(first ?? '').execution_id);
  });

  it('sends the files that a playbook names, and an execution keeps those that it began with', async () => {
    const flows = join(program.folder, 'flows');
    mkdirSync(join(flows, 'sub'), { recursive: true });
    mkdirSync(join(program.folder, 'lib'));
    writeFileSync(join(program.folder, 'lib/code.py'), 'import near\n\ndef main():\n    return near.NAME\n');
    writeFileSync(join(program.folder, 'lib/near.py'), "NAME = 'first'\n");
    program.playbook('flows/sub/inner', 'workflow: [{ step: start, tool: { kind: javascript, file: inner.js } }]\n');
    writeFileSync(join(flows, 'sub/inner.js'), "result = require('./more.js').name;");
    writeFileSync(join(flows, 'sub/more.js'), "exports.name = 'inner';");
    const file = program.playbook(
      'flows/sending',
      `workflow:
  - step: start
    tool:
      - inner: { kind: playbook, path: ./sub/inner.yaml }
      - ask: { kind: wait, for: signal, name: go }
      - code: { kind: python, file: ../lib/code.py }
      - both: { kind: noop, result: "{{ _prev }}" }
`,
    );
    const first = await followedRun(program, [file, '--server', url]);
    await first.tells('exec signal');
    writeFileSync(join(program.folder, 'lib/near.py'), "NAME = 'second'\n");
    const second = await followedRun(program, [file, '--server', url]);
    await second.tells('exec signal');
    for (const { id } of [first, second]) {
      expect((await program.run(['exec', 'signal', id, 'go', '--server', url])).code).toBe(0);
    }
    expect((await first.ending).stdout).toBe('first\n');
    expect((await second.ending).stdout).toBe('second\n');
  });

  it('sends data that SQL on DuckDB reads by name; what was not sent is told with what to do', async () => {
    writeFileSync(join(program.folder, 'rows.csv'), 'n\n3\n4\n');
    const query = `"SELECT CAST(sum(n) AS INTEGER) AS total FROM read_csv('rows.csv')"`;
    const sent = program.playbook('sum', `workflow: [{ step: start, tool: { kind: duckdb, query: ${query} } }]\n`);
    const summed = await program.run(['run', sent, '--server', url, '--quiet']);
    expect([summed.code, JSON.parse(summed.stdout)]).toEqual([0, expect.objectContaining({ rows: [{ total: 7 }] })]);

    writeFileSync(join(program.folder, 'made.py'), 'result = 1\n');
    const made = program.playbook(
      'made',
      'workload: { name: made }\nworkflow: [{ step: start, tool: { kind: python, file: "{{ workload.name }}.py" } }]\n',
    );
    const missing = await program.run(['run', made, '--server', url, '--quiet']);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toMatch(/there is no file 'made.py'\..*name them by absolute paths/s);
  });

  it('asks executions of the server on the folder as on any other', async () => {
    const file = program.playbook(
      'asked',
      'workflow: [{ step: start, tool: { kind: wait, for: signal, name: go } }]\n',
    );
    const run = await followedRun(program, [file, '--data', data]);
    await run.tells(`noetl exec signal ${run.id} go --data ${data}`);
    for (const place of [
      ['--data', data],
      ['--server', url],
    ]) {
      for (const [verb, status] of [
        ['pause', 'paused'],
        ['resume', 'running'],
      ] as const) {
        const { stdout } = await program.run(['exec', verb, run.id, '--json', ...place]);
        expect(JSON.parse(stdout)).toMatchObject({ asked: verb, status, driven: true, event: expect.any(Number) });
      }
    }
    // DESIGN §5: by both ways it is the server that was asked, and notes it.
    const audit = await program.run(['audit', '--data', data]);
    expect(audit.stdout.split('\n').filter((line) => line.includes(run.id) && line.includes('/pause'))).toHaveLength(2);
    run.interrupt();
    const left = await run.ending;
    expect([left.code, left.stderr]).toEqual([
      130,
      expect.stringContaining('stopped watching; the server goes on with it'),
    ]);
    const again = await followedRun(program, ['--resume', run.id, '--data', data]);
    await program.run(['exec', 'signal', run.id, 'go', '--payload', '7', '--data', data]);
    const { code, stdout } = await again.ending;
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ payload: 7 })]);
  });

  it('runs in its own process where the server of the folder was killed', async () => {
    const other = program.newData();
    await detachedServer(program, other);
    process.kill(JSON.parse(readFileSync(join(other, 'server.json'), 'utf8')).pid, 'SIGKILL');
    const { code, stdout } = await program.run(['run', join(root, 'examples/hello.yaml'), '--data', other, '--quiet']);
    expect([code, JSON.parse(stdout)]).toEqual([0, { greeting: 'Hello, world!' }]);
  });

  it('ends with exit code 3 if nobody answers', async () => {
    const list = await program.run(['exec', 'list', '--server', 'http://127.0.0.1:9']);
    expect([list.code, list.stderr]).toEqual([3, expect.stringContaining('does not answer')]);
    const run = await program.run(['run', join(root, 'examples/hello.yaml'), '--server', 'http://127.0.0.1:9']);
    expect(run.code).toBe(3);
  });
});
