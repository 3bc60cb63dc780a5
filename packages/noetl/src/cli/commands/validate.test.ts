import { describe, expect, it } from 'vitest';
import { type Files, noetl } from '../scripted-terminal.testing.ts';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: test }\n';
const VALID = `${HEAD}workflow:\n  - step: start\n    tool: { kind: noop }\n`;
/** Nothing sets ctx.x. */
const WARNED = `${HEAD}workflow:\n  - step: start\n    tool: { kind: noop, result: "{{ ctx.x }}" }\n`;
const INVALID = `${HEAD}workflow:\n  - step: start\n    tool: { kind: nop }\n    next: { arcs: [{ step: strat }] }\n`;

const JSON_OF_VALID = (file: string) => ({ file, diagnostics: [] });

describe('validate', () => {
  it('says of a valid playbook that it is one', async () => {
    expect(await noetl(['validate', 'a.yaml'], { 'a.yaml': VALID })).toEqual({
      exitCode: 0,
      stdout: '1 file: 1 valid\n',
      stderr: '',
    });
  });

  it('shows every problem with its place, line, caret and hint, then counts, and ends with code 4 (DOC-11)', async () => {
    const { exitCode, stdout, stderr } = await noetl(['validate', 'a.yaml', 'b.yaml', 'c.yaml'], {
      'a.yaml': VALID,
      'b.yaml': INVALID,
      'c.yaml': WARNED,
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: '' });
    expect(stdout).toMatch(
      /^b\.yaml:6:19 error NOETL_TASK_KIND_UNKNOWN: .*\n6 \| {5}tool: \{ kind: nop \}\n {2}\| {19}\^\^\^\n/,
    );
    expect(stdout).toMatch(
      /\n\nb\.yaml:7:28 error NOETL_ARC_TARGET_UNKNOWN: .*\n(.*\n){2} {2}= Did you mean 'start'\?\n\n/,
    );
    expect(stdout).toMatch(/\n\nc\.yaml:6:\d+ warning NOETL_NAME_CTX: /);
    expect(stdout).toMatch(/\n\n3 files: 2 valid, 1 invalid; 2 errors, 1 warning\n$/);
  });

  it('ends with code 0 after warnings, and with 4 if they count as errors', async () => {
    const files = { 'a.yaml': WARNED };
    const lenient = await noetl(['validate', 'a.yaml'], files);
    expect(lenient.exitCode).toBe(0);
    expect(lenient.stdout).toMatch(/ warning NOETL_NAME_CTX: [\s\S]*\n1 file: 1 valid; 1 warning\n$/);
    const strict = await noetl(['validate', '--strict', 'a.yaml'], files);
    expect(strict.exitCode).toBe(4);
    expect(strict.stdout).toMatch(/ error NOETL_NAME_CTX: [\s\S]*\n1 file: 1 invalid; 1 error\n$/);
  });

  it('prints one entry for each file as JSON, clean ones too', async () => {
    const files = { 'a.yaml': VALID, 'b.yaml': INVALID, 'c.yaml': WARNED };
    for (const flags of [['--json'], ['--format', 'json'], ['-f', 'json'], ['--json', '--format', 'pretty']]) {
      const { exitCode, stdout, stderr } = await noetl(['validate', ...flags, 'a.yaml', 'b.yaml', 'c.yaml'], files);
      expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: '' });
      const [clean, broken, warned, ...others] = JSON.parse(stdout);
      expect(others).toEqual([]);
      expect(clean).toEqual(JSON_OF_VALID('a.yaml'));
      expect(broken.file).toBe('b.yaml');
      expect(broken.diagnostics[1]).toEqual({
        code: 'NOETL_ARC_TARGET_UNKNOWN',
        severity: 'error',
        line: 7,
        column: 28,
        message: expect.stringContaining("'strat'"),
        hint: "Did you mean 'start'?",
      });
      expect(warned.diagnostics).toMatchObject([{ code: 'NOETL_NAME_CTX', severity: 'warning', line: 6 }]);
    }
    const { stdout } = await noetl(['validate', '--json', '--strict', 'c.yaml'], files);
    expect(JSON.parse(stdout)[0].diagnostics[0].severity).toBe('error');
    expect((await noetl(['validate', '--json', 'a.yaml'], files)).stdout).toBe(
      '[{"file":"a.yaml","diagnostics":[]}]\n',
    );
  });

  it('has a hint in every diagnostic (DOC-11)', async () => {
    const { stdout } = await noetl(['validate', '--json', 'a.yaml'], {
      'a.yaml': VALID.replace('Playbook', 'playbook'),
    });
    const hint = "Did you mean 'Playbook'?";
    expect(JSON.parse(stdout)[0].diagnostics).toMatchObject([{ code: 'NOETL_KIND', hint }]);
  });

  it('annotates lines on GitHub, and says nothing of what is well', async () => {
    const files = { 'a.yaml': VALID, 'flows/b,c.yaml': INVALID };
    const { exitCode, stdout } = await noetl(['validate', '--format', 'github', 'a.yaml', 'flows'], files);
    expect(exitCode).toBe(4);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^::error file=flows\/b%2Cc\.yaml,line=6,col=19,title=NOETL_TASK_KIND_UNKNOWN::/),
      expect.stringMatching(/^::error file=flows\/b%2Cc\.yaml,line=7,col=28,title=NOETL_ARC_TARGET_UNKNOWN::/),
      '',
    ]);
    expect((await noetl(['validate', '--format', 'github', 'a.yaml'], files)).stdout).toBe('');
  });

  it('takes an older playbook for what it becomes, if it is to, and points into the file as it is (MIG-2)', async () => {
    const older = `# old\napiVersion: noetl.io/v1\nkind: Playbook\nname: test\ntracing: true\nworkflow:\n  - step: start\n    tool: noop\n    result: "{{ ctx.x }}"\n`;
    const files = { 'a.yaml': older, 'b.yaml': `${older}    next: strat\n`, 'c.yaml': WARNED };
    const { exitCode, stdout, stderr } = await noetl(
      ['validate', '--legacy', '--json', 'a.yaml', 'b.yaml', 'c.yaml'],
      files,
    );
    const [valid, invalid, canonical] = JSON.parse(stdout);
    expect(exitCode).toBe(4);
    expect(valid.diagnostics).toMatchObject([{ code: 'NOETL_NAME_CTX', severity: 'warning', line: 9, column: 17 }]);
    expect(invalid.diagnostics).toMatchObject([
      { code: 'NOETL_NAME_CTX', line: 9, column: 17 },
      { code: 'NOETL_ARC_TARGET_UNKNOWN', line: 10, column: 5 },
    ]);
    expect(canonical.diagnostics).toMatchObject([{ code: 'NOETL_NAME_CTX', line: 6 }]);
    expect(stderr).toMatch(/^a\.yaml:5:1 warning root-removed: .*\nb\.yaml:5:1 warning root-removed: .*\n$/);
    expect((await noetl(['validate', '--legacy', 'a.yaml'], files)).stdout).toMatch(/\n1 file: 1 valid; 1 warning\n$/);
    expect((await noetl(['validate', 'a.yaml'], files)).exitCode).toBe(4);
  });

  it('reads standard input', async () => {
    expect((await noetl(['validate', '-'], { '-': VALID })).stdout).toBe('1 file: 1 valid\n');
    const { exitCode, stdout } = await noetl(['validate', '-'], { '-': INVALID });
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(/^stdin:6:19 error /);
    const { stdout: json } = await noetl(['validate', '--json', '-'], { '-': VALID });
    expect(JSON.parse(json)).toEqual([JSON_OF_VALID('stdin')]);
  });

  const filesOf = async (files: Files, ...targets: string[]) => {
    const { stdout, stderr } = await noetl(['validate', '--json', ...targets], files);
    return stderr === '' ? JSON.parse(stdout).map(({ file }: { file: string }) => file) : stderr;
  };

  it('reads the YAML files of a folder at any depth, in order, and leaves out what is not its own', async () => {
    const names = [
      'z.yaml',
      'b/2.yml',
      'b/1.YAML',
      'b/c/3.yaml',
      'notes.md',
      'node_modules/x/y.yaml',
      '.git/z.yaml',
      '.ci.yml',
    ];
    const files = Object.fromEntries(names.map((name) => [`flows/${name}`, VALID]));
    const expected = ['flows/b/1.YAML', 'flows/b/2.yml', 'flows/b/c/3.yaml', 'flows/z.yaml'];
    expect(await filesOf(files, 'flows')).toEqual(expected);
    expect(await filesOf(files, './flows/')).toEqual(expected);
    expect(await filesOf(files, '.')).toEqual(expected);
  });

  it('matches globs that the shell left alone', async () => {
    const names = ['a.yaml', 'b.yml', 'c/d.yaml', 'c/e/f.yaml', 'c/e/.g.yaml', '.h/i.yaml', 'readme.md'];
    const files = Object.fromEntries(names.map((name) => [name, VALID]));
    expect(await filesOf(files, '*.yaml')).toEqual(['a.yaml']);
    expect(await filesOf(files, '**/*.yaml')).toEqual(['a.yaml', 'c/d.yaml', 'c/e/f.yaml']);
    expect(await filesOf(files, '*.y{a,}ml')).toEqual(['a.yaml', 'b.yml']);
    expect(await filesOf(files, 'c*')).toEqual(['c/d.yaml', 'c/e/f.yaml']);
  });

  it('takes a name for itself before it takes it for a glob', async () => {
    expect(await filesOf({ '[a].yaml': VALID, 'a.yaml': VALID }, '[a].yaml')).toEqual(['[a].yaml']);
  });

  it('reads a file once, however often it is named', async () => {
    const files = { 'flows/a.yaml': VALID, 'flows/b.yaml': VALID };
    expect(await filesOf(files, 'flows/b.yaml', 'flows', './flows/a.yaml', 'flows/*')).toEqual([
      'flows/b.yaml',
      'flows/a.yaml',
    ]);
  });

  it('answers a target that leads to nothing with exit code 2, before it reads any other', async () => {
    const files = { 'a.yaml': INVALID, 'flows/hello.yaml': VALID, 'docs/x.md': '' };
    const misuse = async (...targets: string[]) => {
      const { exitCode, stdout, stderr } = await noetl(['validate', 'a.yaml', ...targets], files);
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      return stderr;
    };
    expect(await misuse('flows/helo.yaml')).toBe(
      "error: there is no file or folder 'flows/helo.yaml'. Did you mean 'hello.yaml'?\n",
    );
    expect(await misuse('no/such/file')).toBe("error: there is no file or folder 'no/such/file'\n");
    expect(await misuse('flows/*.yml')).toBe("error: no file matches 'flows/*.yml'\n");
    expect(await misuse('docs')).toBe("error: the folder 'docs' holds no .yaml or .yml file\n");
    const { exitCode, stderr } = await noetl(['validate']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: "error: missing required argument 'target'\n" });
  });

  it('proposes the nearest format', async () => {
    const { exitCode, stderr } = await noetl(['validate', '--format', 'prety', 'a.yaml']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/Allowed choices are pretty, json, github\. Did you mean 'pretty'\?\n$/);
  });

  it('does not take just any YAML for a playbook, in a folder neither', async () => {
    const files = { 'x/list.yaml': '- a\n', 'x/empty.yaml': '', 'x/map.yaml': 'on: push\n', 'x/text.yaml': 'hello' };
    const { exitCode, stdout } = await noetl(['validate', 'x'], files);
    expect(exitCode).toBe(4);
    for (const file of Object.keys(files)) expect(stdout).toMatch(new RegExp(`^${file}:1:1 error `, 'm'));
    expect(stdout).toMatch(/\n4 files: 4 invalid; /);
  });

  it.each([
    ['a byte of another encoding', [0xe9], 5],
    ['half a character', [0xe2, 0x82], 5],
    ['a character begun anew', [0xe2, 0x82, 0xc3, 0xa4], 5],
    ['an overlong slash', [0xc0, 0xaf], 5],
    ['a surrogate', [0xed, 0xa0, 0x80], 5],
  ])('points at the first byte that is not UTF-8: %s', async (_what, bad, column) => {
    const bytes = Buffer.concat([Buffer.from('a: 1\nb: ü'), Buffer.from(bad), Buffer.from('\nc: \xff\n', 'latin1')]);
    const { exitCode, stdout } = await noetl(['validate', '--json', 'a.yaml'], { 'a.yaml': bytes });
    expect(exitCode).toBe(4);
    expect(JSON.parse(stdout)[0].diagnostics).toMatchObject([{ code: 'NOETL_YAML_ENCODING', line: 2, column }]);
  });

  it('finds UTF-16 out, and lets a byte order mark of UTF-8 pass', async () => {
    const utf16 = Buffer.from(`\ufeff${VALID}`, 'utf16le');
    const { stdout } = await noetl(['validate', '--json', 'a.yaml'], { 'a.yaml': utf16 });
    expect(JSON.parse(stdout)[0].diagnostics).toMatchObject([{ code: 'NOETL_YAML_ENCODING', line: 1, column: 1 }]);
    expect((await noetl(['validate', 'a.yaml'], { 'a.yaml': `\ufeff${VALID}` })).exitCode).toBe(0);
  });

  it('refuses a file that is too long, even one cut within a character', async () => {
    const bytes = Buffer.concat([Buffer.alloc(4 * 1024 * 1024, '#'), Buffer.from([0xe2])]);
    const { stdout } = await noetl(['validate', '--json', 'a.yaml'], { 'a.yaml': bytes });
    expect(JSON.parse(stdout)[0].diagnostics).toMatchObject([{ code: 'NOETL_YAML_LIMIT' }]);
  });

  it('has colours on a terminal only', async () => {
    const files = { 'a.yaml': INVALID };
    expect((await noetl(['validate', 'a.yaml'], files)).stdout).not.toContain('\u001b');
    expect((await noetl(['validate', 'a.yaml'], files, { color: true })).stdout).toContain('\u001b[31merror\u001b[0m');
    expect((await noetl(['validate', '--json', 'a.yaml'], files, { color: true })).stdout).not.toContain('\u001b');
  });

  it('lets nothing in a playbook steer the terminal', async () => {
    const files = { 'a\u001b[2J.yaml': `${VALID}"\u001b[31m\u009b1m\u0007": 1\n` };
    const { exitCode, stdout } = await noetl(['validate', '.'], files);
    expect(exitCode).toBe(4);
    expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
  });
});
