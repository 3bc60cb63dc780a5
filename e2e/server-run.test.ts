import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProgram, type Program, root } from './program.testing.ts';
import { detachedServer } from './server.testing.ts';
import { intactExecutions } from './stored-log.testing.ts';

const TIMEOUT = 240_000;
const examples = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.yaml'));

describe('what commands do by a server', { timeout: TIMEOUT }, () => {
  let program: Program;
  let data: string;
  let url: string;
  beforeAll(async () => {
    program = openProgram();
    data = program.newData();
    // Files beside the playbooks are found: a server elsewhere has only what it was sent.
    url = await detachedServer(program, data, { cwd: join(root, 'examples') });
  }, TIMEOUT);
  afterAll(async () => {
    await program.run(['server', 'stop', '--data', data]);
    await intactExecutions(program, data);
    await program.close();
  }, TIMEOUT);

  it.each(examples)('runs examples/%s as this process would', async (name) => {
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
  });

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

  it('ends with exit code 3 if nobody answers', async () => {
    const list = await program.run(['exec', 'list', '--server', 'http://127.0.0.1:9']);
    expect([list.code, list.stderr]).toEqual([3, expect.stringContaining('does not answer')]);
    const run = await program.run(['run', join(root, 'examples/hello.yaml'), '--server', 'http://127.0.0.1:9']);
    expect(run.code).toBe(3);
  });
});
