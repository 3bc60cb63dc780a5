import { describe, expect, it } from 'vitest';
import { type Files, noetl } from '../scripted-terminal.testing.ts';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: test }\n';
const CANONICAL = `${HEAD}workflow:\n  - step: start\n    tool: { kind: noop }\n`;
/** The kind and the fields of the work stand at the step. */
const OLDER = `${HEAD}workflow:\n  - step: start # first\n    tool: noop\n    result: 1\n`;
const MIGRATED = `${HEAD}workflow:\n  - step: start # first\n    tool:\n      kind: noop\n      result: 1\n`;
/** Valid in no dialect: an arc to nowhere. */
const BROKEN = `${OLDER}    next: { arcs: [{ step: strat }] }\n`;

const DIFF = [
  '--- a.yaml',
  '+++ a.yaml',
  '@@ -3,5 +3,6 @@',
  ' metadata: { name: test }',
  ' workflow:',
  '   - step: start # first',
  '-    tool: noop',
  '-    result: 1',
  '+    tool:',
  '+      kind: noop',
  '+      result: 1',
  '',
].join('\n');

describe('migrate (MIG-1)', () => {
  it('prints how a file would change, and says why', async () => {
    const files: Files = { 'a.yaml': OLDER };
    const { exitCode, stdout, stderr } = await noetl(['migrate', 'a.yaml'], files);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: DIFF });
    expect(stderr).toMatch(/^a\.yaml {2}tool-string: the step 'start' has 'tool: noop' \(line 6\)\n/);
    expect(stderr).toMatch(/\na\.yaml:6:5 {2}tool-kind: .*\n/);
    expect(stderr).toMatch(/\n1 file: 1 to change; 1 note\n$/);
    expect(files['a.yaml']).toBe(OLDER);
  });

  it('changes files if it is to, and says which', async () => {
    const files: Files = { 'flows/a.yaml': OLDER, 'flows/b.yaml': CANONICAL };
    const { exitCode, stdout, stderr } = await noetl(['migrate', '--write', 'flows'], files);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'migrated flows/a.yaml\n' });
    expect(stderr).toMatch(/\n2 files: 1 migrated, 1 canonical; 1 note\n$/);
    expect(files).toEqual({ 'flows/a.yaml': MIGRATED, 'flows/b.yaml': CANONICAL });
    expect(await noetl(['migrate', '--write', 'flows'], files)).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '2 files: 2 canonical\n',
    });
  });

  it('only checks if it is to, and ends with code 4 if something would change', async () => {
    const files: Files = { 'a.yaml': OLDER, 'b.yaml': CANONICAL };
    const { exitCode, stdout } = await noetl(['migrate', '--check', 'a.yaml', 'b.yaml'], files);
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: 'would change a.yaml\n' });
    expect(files['a.yaml']).toBe(OLDER);
    expect((await noetl(['migrate', '--check', 'b.yaml'], files)).exitCode).toBe(0);
  });

  it('leaves a file as it is that does not become a valid playbook, and shows what is wrong at lines of the file', async () => {
    const files: Files = { 'a.yaml': BROKEN, 'b.yaml': OLDER };
    const { exitCode, stdout, stderr } = await noetl(['migrate', '--write', 'a.yaml', 'b.yaml'], files);
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: 'migrated b.yaml\n' });
    expect(stderr).toContain(
      [
        "a.yaml:8:28 error NOETL_ARC_TARGET_UNKNOWN: the step 'strat' does not exist in this workflow",
        '8 |     next: { arcs: [{ step: strat }] }',
        '  |                            ^^^^^',
        "  = Did you mean 'start'?",
      ].join('\n'),
    );
    expect(stderr).toMatch(/\n2 files: 1 migrated, 1 not translated; 2 notes, 1 problem\n$/);
    expect(files).toEqual({ 'a.yaml': BROKEN, 'b.yaml': MIGRATED });
    expect((await noetl(['migrate', '--check', 'a.yaml'], files)).exitCode).toBe(4);
    expect((await noetl(['migrate', 'a.yaml'], files)).exitCode).toBe(4);
  });

  it('does not take just any file for a playbook', async () => {
    const files: Files = { 'a.yaml': 'a: "', 'b.yaml': '- a\n', 'c.yaml': 'on: push\n', 'd.yaml': '' };
    const { exitCode, stdout, stderr } = await noetl(['migrate', '--write', '.'], { ...files });
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
    for (const file of Object.keys(files)) expect(stderr).toMatch(new RegExp(`^${file}:1:\\d error NOETL_`, 'm'));
    expect(stderr).toMatch(/\n4 files: 4 not translated; \d+ problems\n$/);
    expect(stderr).not.toContain('noetl migrate');
  });

  it('prints what comes of standard input', async () => {
    const piped = await noetl(['migrate', '-'], { '-': OLDER });
    expect(piped.stdout).toBe(DIFF.replaceAll('a.yaml', 'stdin'));
    expect(piped.stderr).toContain('\nstdin:6:5  tool-kind: ');
    expect((await noetl(['migrate', '--write', '-'], { '-': OLDER })).stdout).toBe(MIGRATED);
    expect((await noetl(['migrate', '--write', '-'], { '-': CANONICAL })).stdout).toBe(CANONICAL);
    expect((await noetl(['migrate', '--write', '-'], { '-': BROKEN })).stdout).toBe('');
  });

  it('prints everything as JSON', async () => {
    const files: Files = { 'a.yaml': OLDER, 'b.yaml': CANONICAL, 'c.yaml': BROKEN };
    const { exitCode, stdout, stderr } = await noetl(['migrate', '--json', 'a.yaml', 'b.yaml', 'c.yaml'], files);
    expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: '' });
    const [older, canonical, broken, ...others] = JSON.parse(stdout);
    expect(others).toEqual([]);
    expect(older).toEqual({
      file: 'a.yaml',
      dialects: [
        { dialect: 'tool-string', evidence: [{ line: 6, column: 5, what: "the step 'start' has 'tool: noop'" }] },
      ],
      changed: true,
      notes: [{ rule: 'tool-kind', line: 6, column: 5, message: expect.any(String), review: false }],
      problems: [],
      text: MIGRATED,
    });
    expect(canonical).toMatchObject({ file: 'b.yaml', changed: false, notes: [], problems: [], text: CANONICAL });
    expect(broken.problems).toEqual([
      {
        code: 'NOETL_ARC_TARGET_UNKNOWN',
        severity: 'error',
        line: 8,
        column: 28,
        message: expect.any(String),
        hint: "Did you mean 'start'?",
      },
    ]);
    await noetl(['migrate', '--json', '--write', 'a.yaml', 'c.yaml'], files);
    expect([files['a.yaml'], files['c.yaml']]).toEqual([MIGRATED, BROKEN]);
  });

  it('keeps a byte order mark and lines that end as on Windows', async () => {
    const onWindows = (text: string) => `\ufeff${text.replaceAll('\n', '\r\n')}`;
    const files: Files = { 'a.yaml': onWindows(OLDER) };
    const { stderr } = await noetl(['migrate', '--write', 'a.yaml'], files);
    expect(stderr).toContain('\na.yaml:6:5  tool-kind: ');
    expect(files['a.yaml']).toBe(onWindows(MIGRATED));
  });

  it('answers a target that leads to nothing, and options that contradict each other, with exit code 2', async () => {
    expect(await noetl(['migrate', 'no.yaml'])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: "error: there is no file or folder 'no.yaml'\n",
    });
    const { exitCode, stderr } = await noetl(['migrate', '--write', '--check', 'a.yaml'], { 'a.yaml': OLDER });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("option '--check' cannot be used with option '--write'");
  });

  it('has colours on a terminal only', async () => {
    const files: Files = { 'a.yaml': OLDER };
    expect((await noetl(['migrate', 'a.yaml'], files, { color: true })).stdout).toContain(
      '\u001b[32m+    tool:\u001b[0m',
    );
  });
});
