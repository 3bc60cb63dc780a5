import { describe, expect, it } from 'vitest';
import { scenesOf, shownIn, withIds } from './transcript.testing.ts';

const ids = new Map<string, string>();

describe('the scenes of a guide', () => {
  it('are its titled blocks as files, and the commands of its console blocks with what they print', () => {
    const guide = [
      'Text.',
      '```yaml title=a/b.yaml',
      'x: 1',
      '```',
      '```yaml',
      'not: shown',
      '```',
      '```console',
      '$ noetl run x   # exit code 4',
      'one',
      '',
      'two',
      '$ noetl run y \\',
      '> --quiet &',
      '```',
      '',
    ].join('\n');
    const command = { kind: 'command', background: false, exitCode: 0, output: '' };
    expect(scenesOf(guide)).toEqual([
      { kind: 'file', name: 'a/b.yaml', text: 'x: 1\n' },
      { ...command, line: 9, command: 'noetl run x', exitCode: 4, output: 'one\n\ntwo\n' },
      { ...command, line: 13, command: 'noetl run y \\\n--quiet &', background: true },
    ]);
  });

  it('say where a console block has no command', () => {
    expect(() => scenesOf('```console\nnoetl run\n```\n')).toThrow(
      "line 2: a console block begins with a command, '$ …'",
    );
  });
});

describe('what a guide shows of the output', () => {
  it('differs in nothing but what differs from one run to the next', () => {
    const shown = 'ID  STARTED               TIME\na   2026-11-15T10:04:45Z  6 ms\n';
    const printed = 'ID  STARTED                  TIME\na   2027-01-01T00:00:00Z  59.1 s\n';
    expect(shownIn(printed, shown, ids)).toEqual({ ids, length: printed.length });
    expect(shownIn(printed.replace('STARTED', 'BEGUN'), shown, ids)).toBeUndefined();
    expect(shownIn(printed, shown.replace('6 ms', '6 rows'), ids)).toBeUndefined();
  });

  it('says the same id wherever it means the same execution', () => {
    const [shown, meant, other] = ['01m7fan7akk22hba1xzd', '01m7fcccckk22hba1aaa', '01m7fcccckk22hba1bbb'];
    const met = shownIn(`${meant} ${meant}-1-0-1-1`, `${shown} ${shown}-1-0-1-1`, ids);
    expect(met?.ids).toEqual(new Map([[shown, meant]]));
    expect(withIds(`exec status ${shown}`, met?.ids ?? ids)).toBe(`exec status ${meant}`);
    expect(shownIn(other, shown, met?.ids ?? ids)).toBeUndefined();
    expect(shownIn(`${meant} ${other}`, `${shown} ${shown}`, ids)).toBeUndefined();
  });

  it('leaves out what … stands for: a part of a line, or lines', () => {
    expect(shownIn('one 2 three\n', 'one … three\n', ids)?.length).toBe(12);
    expect(shownIn('one\ntwo three\n', 'one … three\n', ids)).toBeUndefined();
    expect(shownIn('a\nb\nc\nd\n', 'a\n…\nd\n', ids)?.length).toBe(8);
    expect(shownIn('a\nd\n', 'a\n…\nd\n', ids)?.length).toBe(4);
    expect(shownIn('a\nb\n', 'a\n…\nd\n', ids)).toBeUndefined();
  });

  it('is the beginning of what a program that goes on has printed', () => {
    expect(shownIn('a\nb\n', 'a\n', ids)).toBeUndefined();
    expect(shownIn('a\nb\n', 'a\n', ids, 'so far')?.length).toBe(2);
    expect(shownIn('b\na\n', 'a\n', ids, 'so far')).toBeUndefined();
  });
});
