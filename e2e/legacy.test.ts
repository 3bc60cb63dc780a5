import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProgramBy, WAYS, type WayProgram } from './ways.testing.ts';

/** Lines count from 1; the code that fails stands on line 18. */
const OLD = `# A dialect of long ago
apiVersion: noetl.io/v1
kind: Playbook
name: old
path: flows/old
workload: { flag: none }
workflow:
  - step: start
    type: noop
    next: work # comes next
  - step: work
    tool: python
    args: { flag: "{{ workload.flag }}" }
    code: |
      import os, time
      if flag != "none" and not os.path.exists(flag):
          open(flag, "w").close(); time.sleep(600)
      result = 1 / 0
    next: end
  - step: end
`;

/** A template fails on line 8, at column 18. */
const TEMPLATED = `apiVersion: noetl.io/v1
kind: Playbook
name: templated
workload: { zero: 0 }
workflow:
  - step: start
    type: noop
    result: "{{ 10 / workload.zero }}"
`;

const calling = (path: string) =>
  `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: caller }\nworkflow:\n  - step: start\n    tool: { kind: playbook, path: ${path} }\n`;

const idIn = (text: string): string => /execution (\w+)/.exec(text)?.[1] ?? '';

function writtenIn({ folder }: WayProgram, name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe.each(WAYS)('a playbook of an older dialect (MIG-2), by the %s', (way) => {
  let program: WayProgram;
  beforeAll(async () => {
    program = await openProgramBy(way);
  }, 60_000);
  afterAll(() => program.close());

  const written = (name: string, text: string): string => writtenIn(program, name, text);

  it('is an error without --legacy, and the hint says what to do', async () => {
    const file = written('old.yaml', OLD);
    for (const command of [['run'], ['validate'], ['catalog', 'register']]) {
      const { code, stdout, stderr } = await program.run([...command, file]);
      expect(code).toBe(4);
      expect(stdout + stderr).toContain('noetl migrate rewrites older playbooks, --legacy takes them as they are.');
    }
    expect((await program.run(['validate', '--legacy', file])).stdout).toMatch(/\n1 file: 1 valid; 1 warning\n$/);
  });

  it('runs with --legacy, and its errors point at the lines that its author wrote', { timeout: 60_000 }, async () => {
    const data = program.newData();
    const { code, stderr } = await program.run(['run', '--legacy', written('old.yaml', OLD), '--data', data]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/work\.task_1 failed at \S*old\.yaml:12:\d+\n12 \| {5}tool: python\n/);
    expect(stderr).toMatch(/ZeroDivisionError: division by zero \(\S*old(\.yaml)?:18: result = 1 \/ 0\)/);
    const id = idIn(stderr);
    const status = await program.run(['exec', 'status', id, '--data', data]);
    expect(status.stdout + status.stderr).toMatch(/work\.task_1 failed at flows\/old:12:\d+\n12 \| {5}tool: python\n/);
    expect((await program.run(['exec', 'verify', '--all', '--data', data])).code).toBe(0);
    const get = async (...args: string[]) =>
      (await program.run(['catalog', 'get', 'flows/old', ...args, '--data', data])).stdout;
    expect(await get('--original')).toBe(OLD);
    expect(await get()).toMatch(/^# A dialect of long ago\napiVersion: noetl.io\/v2\n/);
    expect(JSON.parse(await get('--json'))).toMatchObject({ text: await get(), original: OLD });
    written('canonical.yaml', await get());
    expect((await program.run(['validate', 'canonical.yaml'])).code).toBe(0);
    const fork = await program.run(['exec', 'fork', id, '--from-failure', '--data', data]);
    expect(fork.stderr).toMatch(/division by zero \(flows\/old:18: result = 1 \/ 0\)/);
  });

  // At a server nothing stops.
  if (way === 'folder') {
    it('goes on after it was stopped, with the places of the original still', { timeout: 60_000 }, async () => {
      const data = program.newData();
      const flag = join(program.folder, 'flag');
      const file = written('stopped.yaml', OLD);
      const child = program.start(['run', '--legacy', file, '--set', `flag=${flag}`, '--data', data]);
      while (!existsSync(flag)) await new Promise((resolve) => setTimeout(resolve, 50));
      child.kill('SIGINT');
      const stopped = await program.end(child);
      expect(stopped.code).toBe(130);
      writeFileSync(file, 'changed: since\n');
      const { code, stderr } = await program.run(['run', '--resume', idIn(stopped.stderr), '--data', data]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/work\.task_1 failed at flows\/old@1:12:\d+\n12 \| {5}tool: python\n/);
      expect(stderr).toMatch(/division by zero \(flows\/old:18: result = 1 \/ 0\)/);
    });
  }

  it('is upgraded where another one calls it by file', { timeout: 60_000 }, async () => {
    const data = program.newData();
    written('templated.yaml', TEMPLATED);
    const canonical = written('caller.yaml', calling('templated.yaml'));
    const run = (...args: string[]) => program.run(['run', ...args, '--data', data]);
    const refused = await run(canonical);
    expect(refused.stderr).toContain('templated.yaml is not valid: ');
    const place =
      /start\.task_1 failed at \S*templated\.yaml:8:\d+\n8 \| {5}result: "\{\{ 10 \/ workload\.zero \}\}"\n/;
    expect((await run('--legacy', canonical)).stderr).toMatch(place);
    const older = `apiVersion: noetl.io/v1\nkind: Playbook\nname: older\nworkflow:\n  - step: start\n    tool: playbook\n    path: templated.yaml\n`;
    expect((await run('--legacy', written('older.yaml', older))).stderr).toMatch(place);
  });

  // By a server versions count on from those of the other tests.
  if (way === 'folder') {
    it('is registered with both texts, and the same text is no new version', async () => {
      const data = program.newData();
      const file = written('old.yaml', OLD);
      const register = async (...args: string[]) => {
        const { stdout } = await program.run(['catalog', 'register', ...args, '--json', '--data', data]);
        return JSON.parse(stdout).map(({ status, version }: Record<string, unknown>) => [status, version]);
      };
      expect(await register('--legacy', file)).toEqual([['registered', 1]]);
      expect(await register('--legacy', file)).toEqual([['unchanged', 1]]);
      writeFileSync(file, `${OLD}# one more line\n`);
      expect(await register('--legacy', file)).toEqual([['registered', 2]]);
      await program.run(['migrate', '--write', file]);
      // It does the same; but its lines are others.
      expect(await register(file)).toEqual([['registered', 3]]);
      expect(await register('--legacy', file)).toEqual([['unchanged', 3]]);
    });
  }
});

describe('migrate --write (MIG-1)', () => {
  let program: WayProgram;
  beforeAll(async () => {
    program = await openProgramBy('folder');
  });
  afterAll(() => program.close());

  const written = (name: string, text: string): string => writtenIn(program, name, text);

  it('keeps permissions and links, and changes nothing the second time', async () => {
    mkdirSync(join(program.folder, 'flows'));
    const file = written('flows/old.yaml', OLD);
    chmodSync(file, 0o640);
    symlinkSync('old.yaml', join(program.folder, 'flows/link.yaml'));
    const first = await program.run(['migrate', '--write', 'flows/link.yaml']);
    expect(first).toMatchObject({ code: 0, stdout: 'migrated flows/link.yaml\n' });
    expect(lstatSync(join(program.folder, 'flows/link.yaml')).isSymbolicLink()).toBe(true);
    expect(lstatSync(file).mode & 0o777).toBe(0o640);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('# comes next');
    const second = await program.run(['migrate', '--write', 'flows']);
    expect(second).toMatchObject({ code: 0, stdout: '', stderr: '2 files: 2 canonical\n' });
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect((await program.run(['migrate', '--check', 'flows'])).code).toBe(0);
  });

  it.skipIf(process.getuid?.() !== 0)('says what it cannot write, and leaves it as it is', async () => {
    const folder = join(program.folder, 'locked');
    mkdirSync(folder);
    const file = written('locked/old.yaml', OLD);
    chmodSync(program.folder, 0o755);
    const { code, stdout, stderr } = await program.run(['migrate', '--write', file], { uid: 65_534 });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`error: cannot write ${file}: EACCES`);
    expect(readFileSync(file, 'utf8')).toBe(OLD);
  });
});
