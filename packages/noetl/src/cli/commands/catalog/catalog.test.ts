import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ending, type Files, noetl } from '../../scripted-terminal.testing.ts';
import { serverUnderTest } from '../../server-under-test.testing.ts';

let parent: string;
let data: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'noetl-catalog-'));
  data = join(parent, 'data');
});
afterEach(() => rmSync(parent, { recursive: true }));

/** A playbook whose result is this text. */
const saying = (name: string, text: string) =>
  `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: ${name} }\nworkflow: [{ step: start, tool: { kind: noop, result: ${text} } }]\n`;

/** `noetl catalog …` on the data folder, in a world with these files. */
function catalog(args: readonly string[], files: Files = {}): Promise<Ending> {
  const folder: Files = existsSync(data) ? { [join(data, 'noetl.db')]: '' } : {};
  return noetl(['catalog', ...args, '--data', data], { ...files, ...folder });
}

const registered = async (args: readonly string[], files: Files) => {
  const { stdout } = await catalog(['register', ...args, '--json'], files);
  return JSON.parse(stdout).map(({ status, path, version }: Record<string, unknown>) => [status, path, version]);
};

describe('catalog register', () => {
  it('gives the first text of a path version 1, a changed text the next one, and the same text none', async () => {
    const register = (text: string) => registered(['etl.yaml'], { 'etl.yaml': saying('etl', text) });
    expect(await register('one')).toEqual([['registered', 'etl', 1]]);
    expect(await register('two')).toEqual([['registered', 'etl', 2]]);
    expect(await register('two')).toEqual([['unchanged', 'etl', 2]]);
    // Who goes back to an older text wants it to be the newest.
    expect(await register('one')).toEqual([['registered', 'etl', 3]]);
  });

  it('tells which a server has taken when it refuses another', async () => {
    const server = await serverUnderTest(data);
    try {
      const made = await server.send('POST', '/api/tokens', { name: 'ci', role: 'author', prefix: 'a' });
      const { token } = made.body as { token: string };
      const files = { 'a.yaml': saying('a', 'one'), 'b.yaml': saying('b', 'two') };
      const { exitCode, stdout, stderr } = await noetl(
        ['catalog', 'register', 'a.yaml', 'b.yaml', '--server', server.url, '--json'],
        files,
        { environment: { NOETL_TOKEN: token } },
      );
      expect(JSON.parse(stdout)).toMatchObject([{ file: 'a.yaml', status: 'registered', path: 'a', version: 1 }]);
      expect([exitCode, stderr]).toEqual([
        2,
        "error: NOETL_API_FORBIDDEN: the token allows paths within 'a', not 'b'.\n",
      ]);
    } finally {
      await server.close();
    }
  });

  it('says for each file of a folder what became of it', async () => {
    const files = { 'flows/a.yaml': saying('a', 'a'), 'flows/deep/b.yml': saying('b', 'b'), 'flows/notes.md': '' };
    await catalog(['register', 'flows/a.yaml'], files);
    expect(await catalog(['register', 'flows'], files)).toEqual({
      exitCode: 0,
      stdout:
        'PLAYBOOK  VERSION              FILE\n' +
        'a               1  unchanged   flows/a.yaml\n' +
        'b               1  registered  flows/deep/b.yml\n',
      stderr: '',
    });
  });

  it('registers none if one is not valid, and says what is wrong with it', async () => {
    const files = {
      'flows/bad.yaml': saying('bad', 'x').replace('noop', 'nop'),
      'flows/good.yaml': saying('good', 'x'),
    };
    const { exitCode, stdout, stderr } = await catalog(['register', 'flows'], files);
    expect([exitCode, stdout]).toEqual([4, '']);
    expect(stderr).toContain(
      "flows/bad.yaml:4:41 error NOETL_TASK_KIND_UNKNOWN: the task 'task_1' has the unknown kind",
    );
    expect(stderr).toMatch(/\n\nerror: 1 playbook of 2 is not valid; nothing was registered\.\n$/);
    const json = await catalog(['register', 'flows', '--json'], files);
    expect(json.exitCode).toBe(4);
    expect(JSON.parse(json.stdout)).toMatchObject([
      { file: 'flows/bad.yaml', status: 'invalid', diagnostics: [{ code: 'NOETL_TASK_KIND_UNKNOWN', line: 4 }] },
      { file: 'flows/good.yaml', status: 'not registered', diagnostics: [] },
    ]);
    expect(existsSync(data)).toBe(false);
  });

  it('refuses two files that are the same playbook with different texts', async () => {
    const files = { 'one.yaml': saying('twin', 'one'), 'two.yaml': saying('twin', 'two') };
    const { exitCode, stderr } = await catalog(['register', 'one.yaml', 'two.yaml'], files);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("error: one.yaml and two.yaml are both the playbook 'twin'; nothing was registered.");
    expect(existsSync(data)).toBe(false);
  });

  it('reads standard input', async () => {
    const text = saying('piped', 'x');
    await catalog(['register', '-'], { '-': text });
    expect((await catalog(['get', 'piped'])).stdout).toBe(text);
  });
});

describe('catalog list and get', () => {
  beforeEach(async () => {
    const files = Object.fromEntries(['a', 'b', 'flows/c'].map((name) => [`${name}.yaml`, saying(name, name)]));
    await catalog(['register', ...Object.keys(files)], files);
    for (const text of ['x', 'y']) await catalog(['register', 'a.yaml'], { 'a.yaml': saying('a', text) });
  });

  const list = async (...args: string[]) => {
    const { stdout } = await catalog(['list', '--json', ...args]);
    return JSON.parse(stdout).map(({ path, version }: Record<string, unknown>) => `${path}@${version}`);
  };

  it('list the newest version of each path, or all versions of one, in pages', async () => {
    expect(await list()).toEqual(['a@3', 'b@1', 'flows/c@1']);
    expect(await list('--limit', '2')).toEqual(['a@3', 'b@1']);
    expect(await list('--after', 'b')).toEqual(['flows/c@1']);
    expect(await list('a')).toEqual(['a@3', 'a@2', 'a@1']);
    expect(await list('a', '--before', '3', '--limit', '1')).toEqual(['a@2']);
    const { stdout } = await catalog(['list', '--limit', '2']);
    expect(stdout).toContain(`\nmore: noetl catalog list --after b --limit 2 --data ${data}\n`);
    const versions = await catalog(['list', 'a', '--limit', '1']);
    expect(versions.stdout).toContain(`\nmore: noetl catalog list a --before 3 --limit 1 --data ${data}\n`);
    expect((await catalog(['list', 'a', '--before', '2', '--limit', '1'])).stdout).not.toContain('more:');
  });

  it('print the text of the newest version or of the one that is named, and the entry as JSON', async () => {
    expect((await catalog(['get', 'a'])).stdout).toBe(saying('a', 'y'));
    expect((await catalog(['get', 'a', '--version', '1'])).stdout).toBe(saying('a', 'a'));
    expect((await catalog(['get', 'a@2'])).stdout).toBe(saying('a', 'x'));
    expect(JSON.parse((await catalog(['get', 'a@2', '--json'])).stdout)).toEqual({
      path: 'a',
      version: 2,
      content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      registered_at: '2026-01-02T03:04:05.678Z',
      text: saying('a', 'x'),
    });
  });

  it('take a path that ends in @N for what it is, if there is such a path', async () => {
    await catalog(['register', 'odd.yaml'], { 'odd.yaml': saying('a@1', 'odd') });
    expect((await catalog(['get', 'a@1'])).stdout).toBe(saying('a@1', 'odd'));
    expect((await catalog(['get', 'a', '--version', '1'])).stdout).toBe(saying('a', 'a'));
  });

  it('say what comes near to a name that leads to nothing', async () => {
    const refused = async (...args: string[]) => {
      const { exitCode, stderr } = await catalog(args);
      return [exitCode, stderr.replace(data, 'DATA')];
    };
    const near = "error: the catalog of DATA has no playbook 'flow/c'. Did you mean 'flows/c'?\n";
    expect(await refused('get', 'flow/c')).toEqual([2, near]);
    expect(await refused('list', 'flow/c')).toEqual([2, near]);
    expect(await refused('get', 'a', '--version', '9')).toEqual([
      2,
      "error: the catalog of DATA has no playbook 'a' of version 9. The newest version of 'a' is 3.\n",
    ]);
  });

  it('make no data folder to look in', async () => {
    rmSync(data, { recursive: true });
    expect((await catalog(['list'])).exitCode).toBe(2);
    expect((await catalog(['get', 'a'])).exitCode).toBe(2);
    expect(existsSync(data)).toBe(false);
  });
});
