import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followedRun } from './followed-run.testing.ts';
import { openProgram, type Program, root } from './program.testing.ts';

let program: Program;
beforeAll(() => {
  program = openProgram();
});
afterAll(() => program.close());

/** A playbook whose result is this text. */
const saying = (text: string) => `workflow: [{ step: start, tool: { kind: noop, result: ${text} } }]\n`;

/** Runs a command on a data folder. */
const on =
  (data: string) =>
  (...args: string[]) =>
    program.run([...args, '--data', data]);

describe('noetl run of a registered playbook', () => {
  it('runs the newest version, or the one that is named; a file comes before a path', async () => {
    const data = program.newData();
    const noetl = on(data);
    const file = program.playbook('flow', saying('one'));
    await noetl('catalog', 'register', file);
    await noetl('catalog', 'register', program.playbook('flow', saying('two')));
    const result = async (name: string, cwd = root) =>
      (await program.run(['run', name, '--quiet', '--data', data], { cwd })).stdout;
    expect(await result('flow')).toBe('two\n');
    expect(await result('flow@1')).toBe('one\n');
    writeFileSync(join(program.folder, 'flow'), readFileSync(program.playbook('flow', saying('three'))));
    expect(await result('flow', program.folder)).toBe('three\n');
  });

  it('finds the files of the playbook where it was registered from', async () => {
    const folder = join(program.folder, 'with-files');
    mkdirSync(folder);
    writeFileSync(join(folder, 'code.js'), 'result = 41 + 1');
    program.playbook('with-files/inner', 'workflow: [{ step: start, tool: { kind: javascript, file: code.js } }]\n');
    const outer = program.playbook(
      'with-files/outer',
      'workflow: [{ step: start, tool: { kind: playbook, path: ./inner.yaml } }]\n',
    );
    const data = program.newData();
    await on(data)('catalog', 'register', outer);
    const { stdout, code } = await program.run(['run', 'outer', '--quiet', '--data', data], { cwd: '/' });
    expect([code, stdout]).toEqual([0, '42\n']);
  });

  it('registers a file that is run, so that every execution has a version', async () => {
    const noetl = on(program.newData());
    for (const text of ['one', 'two', 'two']) await noetl('run', program.playbook('counted', saying(text)));
    const { stdout } = await noetl('exec', 'list', '--json');
    expect(JSON.parse(stdout).map(({ version }: Record<string, unknown>) => version)).toEqual([2, 2, 1]);
  });

  it('goes on with its version and its folder, resumed or forked, whatever was registered since (ENG-15)', async () => {
    const data = program.newData();
    const noetl = on(data);
    const text = (say: string) => `workflow:
  - step: start
    tool:
      - rest: { kind: wait, for: signal, name: go }
      - where: { kind: javascript, file: where.js }
      - say: { kind: noop, result: "${say} in {{ _prev }}" }
`;
    const written = (folder: string, say: string) => {
      mkdirSync(join(program.folder, folder), { recursive: true });
      writeFileSync(join(program.folder, folder, 'where.js'), `result = '${folder}'`);
      return program.playbook(`${folder}/pinned`, text(say));
    };
    const started = await followedRun(program, [written('here', 'old'), '--data', data]);
    await started.tells("waits for the signal 'go'");
    started.kill();
    await started.ending;
    // The same text from another folder, and then another text.
    await noetl('catalog', 'register', written('there', 'old'));
    await noetl('catalog', 'register', written('there', 'new'));
    await noetl('exec', 'signal', started.id, 'go');
    const resumed = await noetl('run', '--resume', started.id, '--quiet');
    expect([resumed.code, resumed.stdout]).toEqual([0, 'old in here\n']);
    const forked = await noetl('exec', 'fork', started.id, '--at', '5', '--no-run', '--quiet');
    const id = forked.stdout.trim();
    await noetl('exec', 'signal', id, 'go');
    expect((await noetl('run', '--resume', id, '--quiet')).stdout).toBe('old in here\n');
    const versions = JSON.parse((await noetl('exec', 'list', '--json')).stdout);
    expect(versions.map(({ version }: Record<string, unknown>) => version)).toEqual([1, 1]);
  });
});
