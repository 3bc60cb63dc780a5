import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'noetl');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'noetl-playbooks-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Ending {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function noetl(
  args: readonly string[],
  { cwd = root, input = '' }: { cwd?: string; input?: string | Buffer } = {},
): Ending {
  return endingOf(spawnSync(program, args, { cwd, input, encoding: 'utf8', maxBuffer: 2 ** 28 }));
}

function shell(script: string, env: Record<string, string> = {}): Ending {
  return endingOf(spawnSync('sh', ['-c', script], { cwd: root, env: { ...process.env, ...env }, encoding: 'utf8' }));
}

/** Whether the launcher has to build depends on what was done before. */
function endingOf({ status, stdout, stderr }: { status: number | null; stdout: string; stderr: string }): Ending {
  return { code: status, stdout, stderr: stderr.replace(/^noetl: building\n/, '') };
}

const INVALID = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: x }\nworkflow: []\n';

describe('validate', () => {
  it('finds no fault with any example', () => {
    const { code, stdout, stderr } = noetl(['validate', '--strict', 'examples']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\d+ files: \d+ valid\n$/);
    expect(Number.parseInt(stdout, 10)).toBeGreaterThan(30);
    const entries: { diagnostics: unknown[] }[] = JSON.parse(noetl(['validate', 'examples', '--json']).stdout);
    expect(entries.flatMap(({ diagnostics }) => diagnostics)).toEqual([]);
    expect(entries).toHaveLength(Number.parseInt(stdout, 10));
  });

  it('reads standard input, text or not', () => {
    const hello = readFileSync(join(root, 'examples/hello.yaml'), 'utf8');
    expect(noetl(['validate', '-'], { input: hello })).toEqual({ code: 0, stdout: '1 file: 1 valid\n', stderr: '' });
    const broken = Buffer.concat([Buffer.from('a: 1\nb: '), Buffer.from([0xff, 0xfe])]);
    const { code, stdout } = noetl(['validate', '-', '--json'], { input: broken });
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject([
      { file: 'stdin', diagnostics: [{ code: 'NOETL_YAML_ENCODING', line: 2, column: 4 }] },
    ]);
    expect(noetl(['validate', '-']).stdout).toMatch(/^stdin:1:1 error /);
  });

  it('does not wait for the end of what is too long anyway', () => {
    for (const script of ['yes | ./noetl validate -', './noetl validate /dev/zero']) {
      const { stdout } = shell(`timeout 20 sh -c '${script}'; echo "code $?"`);
      expect(stdout).toMatch(/error NOETL_YAML_(LIMIT|ENCODING): [\s\S]*\ncode 4\n$/);
    }
  });

  it('reads named pipes', () => {
    const { stdout } = endingOf(
      spawnSync('bash', ['-c', './noetl validate <(cat examples/hello.yaml)'], { cwd: root, encoding: 'utf8' }),
    );
    expect(stdout).toBe('1 file: 1 valid\n');
  });

  it('ends quietly when nobody reads its output to the end', () => {
    const many = join(folder, 'many');
    mkdirSync(many);
    for (let i = 0; i < 300; i++) writeFileSync(join(many, `${i}.yaml`), INVALID.replace('[]', '[{}]\n'.repeat(20)));
    const { code, stdout, stderr } = shell(`./noetl validate "$MANY" | head -n 1`, { MANY: many });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toHaveLength(2);
  });

  it('keeps one file in memory at a time', { timeout: 120_000 }, () => {
    const large = join(folder, 'large');
    mkdirSync(large);
    const text = `${INVALID.replace('[]', '[{ step: start, tool: { kind: noop } }]')}workload:\n${'  # nothing\n'.repeat(80_000)}  a: 1\n`;
    for (let i = 0; i < 150; i++) writeFileSync(join(large, `${i}.yaml`), text);
    const { status, stdout } = spawnSync(
      process.execPath,
      ['--max-old-space-size=96', join(root, 'packages/noetl/dist/bundle/main.js'), 'validate', large],
      { encoding: 'utf8' },
    );
    expect({ status, stdout }).toEqual({ status: 0, stdout: '150 files: 150 valid\n' });
  });

  // `script` lends a terminal; not every system has one that takes these options.
  const noTerminal = spawnSync('script', ['--version']).status !== 0;
  it.skipIf(noTerminal)('has colours on a terminal, unless NO_COLOR is set', async () => {
    const file = join(folder, 'invalid.yaml');
    writeFileSync(file, INVALID);
    const onTerminal = async (env: Record<string, string>) => {
      const { NO_COLOR: _, ...clean } = process.env;
      const child = spawn('script', ['-qec', `'${program}' validate '${file}'`, '/dev/null'], {
        env: { ...clean, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
      const [code] = await once(child, 'close');
      expect(code).toBe(4);
      return output;
    };
    expect(await onTerminal({})).toContain('\u001b[31merror\u001b[0m');
    expect(await onTerminal({ NO_COLOR: '1' })).not.toContain('\u001b[31m');
    expect(noetl(['validate', file]).stdout).not.toContain('\u001b');
  });
});

describe('graph', () => {
  it('draws an example for either program', () => {
    const { code, stdout, stderr } = noetl(['graph', 'examples/fan-out-and-join.yaml']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^---\ntitle: "fan_out_and_join"\n---\nflowchart TD\n/);
    expect(stdout).toContain('\n  insurance --> offer\n');
    expect(noetl(['graph', 'examples/fan-out-and-join.yaml', '-f', 'dot']).stdout).toMatch(
      /^digraph "fan_out_and_join" \{\n/,
    );
  });
});

describe('init', () => {
  it('writes into the working directory what validate finds no fault with', () => {
    const cwd = join(folder, 'work');
    mkdirSync(cwd);
    expect(noetl(['init'], { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(noetl(['init', 'orders', '--template', 'etl', '--json'], { cwd }).stdout).toBe('{"file":"orders.yaml"}\n');
    expect(JSON.parse(noetl(['run', 'orders.yaml', '--quiet'], { cwd }).stdout)).toEqual({ extracted: 3, loaded: 2 });
    expect(noetl(['validate', '--strict', '.'], { cwd }).stdout).toBe('2 files: 2 valid\n');
    expect(noetl(['init'], { cwd })).toMatchObject({ code: 2, stdout: '' });
    mkdirSync(join(cwd, 'taken.yaml'));
    expect(noetl(['init', 'taken', '--force'], { cwd })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: cannot write taken\.yaml: EISDIR/),
    });
  });
});

describe('schema', () => {
  it('prints what schema/playbook.json holds', () => {
    const published = JSON.parse(readFileSync(join(root, 'schema/playbook.json'), 'utf8'));
    expect(JSON.parse(noetl(['schema']).stdout)).toEqual(published);
  });
});
