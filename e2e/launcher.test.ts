import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A folder with a space in its name, holding what a clone of this tree would hold. */
let folder: string;
let clone: string;
let launcher: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'noetl launcher-')));
  clone = join(folder, 'a clone');
  launcher = join(clone, 'noetl');
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of files.toString().split('\0')) {
    if (file === '' || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(root, file), join(clone, file));
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Start {
  readonly command?: string;
  readonly cwd?: string;
  /** Folders that come before (or, with `only`, instead of) the usual ones. */
  readonly path?: string;
  readonly only?: boolean;
  /** What standard input holds; without it there is none. */
  readonly input?: string;
}

function start(args: readonly string[], { command = launcher, cwd = folder, path, only = false, input }: Start = {}) {
  const PATH = path === undefined ? process.env.PATH : only ? path : `${path}:${process.env.PATH}`;
  const stdin = input === undefined ? 'ignore' : 'pipe';
  return spawn(command, args, { cwd, env: { ...process.env, PATH }, stdio: [stdin, 'pipe', 'pipe'] });
}

async function ending(child: ChildProcess): Promise<Ending> {
  if (child.stdout === null || child.stderr === null) throw new Error('the launcher has no streams');
  const [[code, signal], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, signal, stdout, stderr };
}

async function noetl(args: readonly string[], options: Start = {}): Promise<Ending> {
  const child = start(args, options);
  child.stdin?.end(options.input);
  return ending(child);
}

/** A folder with one program of the given name, to be put on PATH. */
function program(name: string, script: string): string {
  const bin = mkdtempSync(join(folder, 'bin-'));
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
  return bin;
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

function workOf(command: string, args: readonly string[]): number {
  const calls = 'for call in 1 2 3; do "$@" > /dev/null; done; times';
  const times = execFileSync('/bin/sh', ['-c', calls, 'sh', command, ...args], { encoding: 'utf8' });
  // The second line is that of the calls: `0m0.240000s 0m0.030000s`, in user mode and in the kernel.
  const parts = [...(times.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000, 0) / 3;
}

/** Edits a file of the clone for one test. */
async function edited(file: string, edit: (text: string) => string, body: () => Promise<void>): Promise<void> {
  const path = join(clone, file);
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, edit(before));
  try {
    await body();
  } finally {
    writeFileSync(path, before);
  }
}

const SUM = ['render', '{{ [1, 2] | sum }}'];
const INSTALLING = 'noetl: installing dependencies\n';
const BUILDING = 'noetl: building\n';

/**
 * Programs of a few lines instead of ours: what the launcher does with a change does not depend on how much there is to build.
 * The launcher, what it calls, the packages and their settings are those of the clone.
 */
const SMALL: Readonly<Record<string, string>> = {
  'packages/template/src/index.ts':
    'export const sum = (...terms: number[]): number => terms.reduce((a, b) => a + b);\n',
  'packages/playbook/src/index.ts': 'export {};\n',
  'packages/engine/src/index.ts': 'export {};\n',
  'packages/ui/src/index.ts': 'export {};\n',
  'packages/noetl/src/index.ts': 'export {};\n',
  'packages/noetl/src/cli/program.ts': "export const help = 'durably';\n",
  'packages/noetl/src/cli/main.ts': `import { sum } from '@noetl/template';
import { help } from './program.ts';

process.stdout.write(\`\${process.argv[2] === '--help' ? help : sum(1, 2)}\\n\`);
`,
  'packages/noetl/src/stores/sqlite/thread.ts': 'export {};\n',
  'packages/noetl/src/worker/heartbeat-thread.ts': 'export {};\n',
};

async function makeSmall(): Promise<void> {
  for (const name of ['template', 'playbook', 'engine', 'ui', 'noetl']) {
    for (const part of ['src', 'dist']) rmSync(join(clone, 'packages', name, part), { recursive: true, force: true });
  }
  for (const [file, text] of Object.entries(SMALL)) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    writeFileSync(join(clone, file), text);
  }
  expect(await noetl(SUM)).toMatchObject({ code: 0, stdout: '3\n', stderr: BUILDING });
}

// The tests tell one story, in order: a clone that was never started, started, used, changed and broken.
describe.sequential('the launcher of a fresh clone', () => {
  it('answers a Node that is too old with one sentence and exit code 126', async () => {
    const old = program('node', 'echo v18.20.4');
    expect(await noetl(SUM, { path: old })).toMatchObject({
      code: 126,
      stdout: '',
      stderr: 'noetl: Node.js 20.19 or newer is needed, and `node` is v18.20.4.\n',
    });
    const almost = program('node', 'echo v20.18.9');
    expect(await noetl(SUM, { path: almost })).toMatchObject({ code: 126, stdout: '' });
  });

  it('answers a missing Node with one sentence and exit code 126', async () => {
    const none = mkdtempSync(join(folder, 'bin-'));
    expect(await noetl(SUM, { path: none, only: true })).toMatchObject({
      code: 126,
      stdout: '',
      stderr: 'noetl: Node.js 20.19 or newer is needed, and no working `node` was found on PATH.\n',
    });
  });

  it('does not take a failed install for an installation', async () => {
    const failing = program('npm', 'mkdir -p node_modules/typescript; exit 7');
    for (const _attempt of [1, 2]) {
      const { code, stdout, stderr } = await noetl(SUM, { path: failing });
      expect({ code, stdout }).toEqual({ code: 126, stdout: '' });
      expect(stderr).toBe(
        `${INSTALLING}noetl: npm ci failed (see above); nothing was started. Run the command again to retry.\n`,
      );
    }
  });

  it('installs and builds once for simultaneous first calls, and each of them succeeds', {
    timeout: 600_000,
  }, async () => {
    const endings = await Promise.all([noetl(SUM), noetl(SUM), noetl(SUM)]);
    for (const { code, stdout } of endings) expect({ code, stdout }).toEqual({ code: 0, stdout: '3\n' });
    const said = endings.map(({ stderr }) => stderr).join('');
    expect(count(said, INSTALLING)).toBe(1);
    expect(count(said, BUILDING)).toBe(1);
    const others = endings.filter(({ stderr }) => !stderr.includes(INSTALLING));
    for (const { stderr } of others) expect(stderr).toContain('noetl: waiting for process');
  });

  it('says nothing on later calls, from any folder and through a link', async () => {
    const link = join(folder, 'a link');
    symlinkSync('a clone/noetl', link);
    for (const [command, cwd] of [
      [launcher, '/'],
      ['./noetl', clone],
      ['../a link', clone],
      [link, tmpdir()],
    ] as const) {
      expect(await noetl(SUM, { command, cwd })).toEqual({ code: 0, signal: null, stdout: '3\n', stderr: '' });
    }
  });

  it('passes standard input, arguments and the exit code through', async () => {
    expect(await noetl(['render', '-'], { input: 'two  words' })).toMatchObject({ code: 0, stdout: 'two  words\n' });
    expect(await noetl(['render', ''])).toMatchObject({ code: 0, stdout: '\n' });
    expect(await noetl(['render', '{{'])).toMatchObject({ code: 4, stdout: '' });
    expect(await noetl(['no such command'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('passes signals through: the program replaces the launcher', async () => {
    const child = start(['render', '-'], { input: 'never sent' });
    const ended = ending(child);
    await expect
      .poll(() => spawnSync('ps', ['-o', 'args=', '-p', String(child.pid)]).stdout.toString())
      .toMatch(/main\.js render -/);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  it('ends quietly when nobody reads its output to the end', async () => {
    const script = `{ "$0" render '{{ range(100000) | list }}'; echo "code $?" >&2; } | head -n 1`;
    expect(await noetl(['-c', script, launcher], { command: 'sh' })).toMatchObject({
      stdout: '[\n',
      stderr: 'code 0\n',
    });
  });

  // Other work on the machine only ever adds time: the least of many calls, taken by turns, is the honest one. The
  // launcher waits for nothing but what it starts, so the work of the processors is what it adds.
  it('adds less than 30 ms to a call', { retry: 3 }, () => {
    const main = join(clone, 'packages/noetl/dist/bundle/main.js');
    const calls = Array.from({ length: 4 }, () => ({
      direct: workOf('node', [main, '--version']),
      launched: workOf(launcher, ['--version']),
    }));
    const direct = Math.min(...calls.map((call) => call.direct));
    const launched = Math.min(...calls.map((call) => call.launched));
    expect(launched - direct).toBeLessThan(30);
  });
});

describe.sequential('the launcher of a clone that changes', () => {
  beforeAll(makeSmall);

  it('rebuilds when a source changes, and only then', async () => {
    const program = 'packages/noetl/src/cli/program.ts';
    await edited(
      program,
      (source) => source.replace('durably', 'DURABLY'),
      async () => {
        expect(await noetl(['--help'])).toMatchObject({ stdout: expect.stringContaining('DURABLY'), stderr: BUILDING });
        expect(await noetl(['--help'])).toMatchObject({ stdout: expect.stringContaining('DURABLY'), stderr: '' });
      },
    );
    expect(await noetl(['--help'])).toMatchObject({ stdout: expect.stringContaining('durably'), stderr: BUILDING });
  });

  it('rebuilds when a source is deleted', async () => {
    const extra = join(clone, 'packages/template/src/extra.ts');
    writeFileSync(extra, 'export const extra = 1;\n');
    expect(await noetl(SUM)).toMatchObject({ code: 0, stderr: BUILDING });
    rmSync(extra);
    expect(await noetl(SUM)).toMatchObject({ code: 0, stderr: BUILDING });
    expect(await noetl(SUM)).toMatchObject({ code: 0, stderr: '' });
  });

  it('brings back a program that was deleted', async () => {
    rmSync(join(clone, 'packages/noetl/dist/bundle/main.js'));
    expect(await noetl(SUM)).toMatchObject({ code: 0, stdout: '3\n', stderr: BUILDING });
  });

  it('runs nothing when the build fails, and everything once it is mended', async () => {
    const program = 'packages/noetl/src/cli/program.ts';
    await edited(
      program,
      (source) => `${source}\nexport const wrong: string = 1;\n`,
      async () => {
        for (const _attempt of [1, 2]) {
          const { code, stdout, stderr } = await noetl(SUM);
          expect({ code, stdout }).toEqual({ code: 126, stdout: '' });
          expect(stderr).toContain('TS2322');
          expect(stderr).toContain('noetl: the build failed (see above); nothing was started.');
        }
      },
    );
    expect(await noetl(SUM)).toMatchObject({ code: 0, stdout: '3\n' });
  });

  it('installs again when the lockfile asks for something else, not when it was merely touched', async () => {
    const npm = program('npm', 'echo "npm $*" >&2; exit 1');
    const now = new Date();
    utimesSync(join(clone, 'package-lock.json'), now, now);
    expect(await noetl(SUM, { path: npm })).toMatchObject({ code: 0, stdout: '3\n', stderr: BUILDING });
    const other = (lockfile: string) => lockfile.replace(/("node_modules\/commander": \{\s+"version": ")/, '$19');
    await edited('package-lock.json', other, async () => {
      const { code, stderr } = await noetl(SUM, { path: npm });
      expect(code).toBe(126);
      expect(stderr).toContain(`${INSTALLING}npm ci`);
    });
    expect(await noetl(SUM, { path: npm })).toMatchObject({ code: 0, stdout: '3\n' });
  });

  it('takes over from a process that died while it was installing or building', async () => {
    const dead = spawnSync('true').pid;
    symlinkSync(String(dead), join(clone, '.prepare.lock'));
    appendFileSync(join(clone, 'tsconfig.json'), '\n');
    const endings = await Promise.all([noetl(SUM), noetl(SUM)]);
    for (const { code, stdout } of endings) expect({ code, stdout }).toEqual({ code: 0, stdout: '3\n' });
    expect(existsSync(join(clone, '.prepare.lock'))).toBe(false);
  });
});
