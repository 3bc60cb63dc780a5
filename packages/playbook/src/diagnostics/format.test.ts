import { describe, expect, it } from 'vitest';
import { readPlaybook } from '../read-playbook.ts';
import { HEAD, withSteps } from '../reading-playbooks.testing.ts';
import type { Diagnostic } from './diagnostic.ts';
import { formatGithub, formatPretty } from './format.ts';

function only(text: string, file = 'etl.yaml'): Diagnostic {
  const { diagnostics } = readPlaybook(text, { file });
  const [first, ...others] = diagnostics;
  if (first === undefined || others.length > 0) throw new Error(`${diagnostics.length} diagnostics`);
  return first;
}

const unknownStep = withSteps('  - step: start\n    next: { arcs: [{ step: strat }] }\n');
const emptyStep = withSteps('  - step: start\n');

describe('pretty', () => {
  it('shows place, code, message, line, caret and hint', () => {
    expect(formatPretty(only(unknownStep), false)).toBe(
      [
        "etl.yaml:6:28 error NOETL_ARC_TARGET_UNKNOWN: the step 'strat' does not exist in this workflow",
        '6 |     next: { arcs: [{ step: strat }] }',
        '  |                            ^^^^^',
        "  = Did you mean 'start'?",
      ].join('\n'),
    );
  });

  it('is coloured if asked: red for errors, yellow for warnings', () => {
    const error = formatPretty(only(unknownStep), true);
    expect(error).toContain('\u001b[31merror\u001b[0m');
    expect(error).toContain('\u001b[1metl.yaml:6:28\u001b[0m');
    expect(formatPretty(only(emptyStep), true)).toContain('\u001b[33mwarning\u001b[0m');
    expect(error.replace(/\u001b\[\d+m/g, '')).toBe(formatPretty(only(unknownStep), false));
  });

  it('cuts a long line around the problem and keeps the caret under it', () => {
    const text = `${HEAD}workflow: [{ step: start, desc: ${'x'.repeat(5_000)}, next: { arcs: [{ step: strat }] }, tool: ${'[ '.repeat(20)}`;
    const long = `${text.slice(0, text.indexOf(', tool'))} }]\n`;
    const diagnostic = only(long);
    expect(diagnostic.column).toBeGreaterThan(5_000);
    expect(diagnostic.sourceLine.length).toBeLessThan(500);
    const [, shown = '', caret = ''] = formatPretty(diagnostic, false).split('\n');
    expect(shown.length).toBeLessThan(140);
    expect(shown.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('strat');
  });

  it('prints tabs as one blank, so that the caret stays under its word', () => {
    const [, shown = '', caret = ''] = formatPretty(
      only(withSteps('  - step: start\n    tool:\t{ kind: nope }\n')),
      false,
    ).split('\n');
    expect(shown.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('nope');
  });

  it('counts columns without a byte order mark, and lines that end as on Windows', () => {
    const text = `\ufeff${unknownStep.replaceAll('\n', '\r\n')}`;
    expect(only(text)).toMatchObject({ line: 6, column: 28, sourceLine: '    next: { arcs: [{ step: strat }] }' });
    expect(only('\ufeffa: "', 'x')).toMatchObject({ line: 1, column: 4, sourceLine: 'a: "' });
  });
});

describe('github', () => {
  it('is a workflow command', () => {
    expect(formatGithub(only(unknownStep))).toBe(
      "::error file=etl.yaml,line=6,col=28,title=NOETL_ARC_TARGET_UNKNOWN::the step 'strat' does not exist in this workflow. Did you mean 'start'?",
    );
    expect(formatGithub(only(emptyStep))).toMatch(/^::warning file=etl\.yaml,line=5,col=11,title=NOETL_STEP_EMPTY::/);
  });

  it('escapes what would end a property or the command', () => {
    const diagnostic = { ...only(unknownStep, 'a,b:c%.yaml'), message: 'one\r\ntwo 100%' };
    const text = formatGithub(diagnostic);
    expect(text).toContain('file=a%2Cb%3Ac%25.yaml,');
    expect(text).toContain('::one%0D%0Atwo 100%25');
    expect(text.split('\n')).toHaveLength(1);
  });
});

describe('a file with more problems than anyone reads', () => {
  it('stops at a thousand errors and says so', () => {
    const text = HEAD + Array.from({ length: 5_000 }, (_, i) => `k${i}: 1\n`).join('');
    const { diagnostics, playbook } = readPlaybook(text, { file: 'x' });
    expect(playbook).toBeUndefined();
    expect(diagnostics).toHaveLength(1_001);
    expect(diagnostics.at(-1)).toMatchObject({ code: 'NOETL_LIMIT', severity: 'error' });
  });

  it('leaves out warnings over a thousand, and still gives the playbook', () => {
    const list = Array.from({ length: 1_500 }, (_, i) => `        - "{{ workload.k${i} }}"\n`).join('');
    const text = withSteps(`  - step: start\n    tool:\n      kind: noop\n      result:\n${list}`);
    const { diagnostics, playbook } = readPlaybook(text, { file: 'x' });
    expect(playbook).toBeDefined();
    expect(diagnostics).toHaveLength(1_001);
    expect(diagnostics.filter(({ code }) => code === 'NOETL_LIMIT')).toEqual([
      expect.objectContaining({ severity: 'warning', message: expect.stringContaining('more than 1000 warnings') }),
    ]);
  });

  it('keeps messages short, however long the names are', () => {
    const text = withSteps(`  - step: ${'n'.repeat(100_000)}\n    when: x\n`);
    for (const { message } of readPlaybook(text, { file: 'x' }).diagnostics) expect(message.length).toBeLessThan(3_000);
  });
});
