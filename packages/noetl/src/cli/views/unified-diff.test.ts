import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');

describe('a unified diff', () => {
  it('shows three lines around each change, and joins changes that are near', () => {
    const before = numbered(20);
    const after = before.replace('line 5\n', 'five\n').replace('line 9\n', '').replace('line 20\n', 'line 20\nmore\n');
    expect(unifiedDiff('etl.yaml', before, after, false)).toBe(
      [
        '--- etl.yaml',
        '+++ etl.yaml',
        '@@ -2,11 +2,10 @@',
        ...[' line 2', ' line 3', ' line 4', '-line 5', '+five', ' line 6', ' line 7', ' line 8', '-line 9'],
        ...[' line 10', ' line 11', ' line 12'],
        '@@ -18,3 +17,4 @@',
        ...[' line 18', ' line 19', ' line 20', '+more', ''],
      ].join('\n'),
    );
  });

  it('is empty for a text that stays', () => {
    expect(unifiedDiff('x', 'a\n', 'a\n', false)).toBe('');
  });

  it('is coloured if asked', () => {
    const diff = unifiedDiff('x', 'a\n', 'b\n', true);
    expect(diff).toContain('\u001b[31m-a\u001b[0m\n\u001b[32m+b\u001b[0m\n');
    expect(diff).toContain('\u001b[36m@@ -1 +1 @@\u001b[0m\n');
  });

  it('lets nothing in the texts steer the terminal', () => {
    expect(unifiedDiff('a\u001b[2J', 'x\u001b[31m\n', 'x\ty\u009b\n', false)).not.toMatch(/[^\P{Cc}\n\t]/u);
  });
});

describe('patch', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'noetl-patch-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['changes here and there', numbered(40), numbered(40).replace('line 3\n', 'x\ny\n').replace('line 30\n', '')],
    ['a last line without an end', 'a\nb', 'a\nc'],
    ['a last line that gets one', 'a\nb', 'a\nb\n'],
    ['a file that was empty', '', 'a\nb\n'],
    ['a file that becomes empty', 'a\nb\n', ''],
    ['lines that end as on Windows', 'a\r\nb\r\nc\r\n', 'a\r\nB\r\nc\r\n'],
    ['tabs and blank lines', '\n\ta\n\n\n', '\n\n\tb\n\n'],
  ])('makes the one text of the other: %s', (_what, before, after) => {
    const file = join(folder, 'file');
    writeFileSync(file, before);
    execFileSync('git', ['apply', '--unidiff-zero', '-p0', '--unsafe-paths', '--whitespace=nowarn', '-'], {
      cwd: folder,
      input: unifiedDiff('file', before, after, false),
    });
    expect(readFileSync(file, 'utf8')).toBe(after);
  });
});
