import { describe, expect, it } from 'vitest';
import { templatesOf } from '../model/templated.ts';
import { readPlaybook } from '../read-playbook.ts';
import type { Origin } from './migration.ts';
import type { Original } from './translated-lines.ts';

const ORIGINAL = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: t }
workflow:
  - step: start
    # a comment
    tool: python
    code: |
      x = 1
      result = x
    args: { n: "{{ ctx.no }}" }
    next: nowhere
`;

const TRANSLATED = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: t }
workflow:
  - step: start
    # a comment
    tool:
      kind: python
      code: |
        x = 1
        result = x
      args: { n: "{{ ctx.no }}" }
    next:
      arcs:
        - step: nowhere
`;

const moved = (line: number, shift = 0): Origin => ({ line, shift, column: 1 });
const anew = (line: number, column: number): Origin => ({ line, shift: undefined, column });

const ORIGINS: readonly Origin[] = [
  ...[1, 2, 3, 4, 5, 6].map((line) => moved(line)),
  ...[anew(7, 5), anew(7, 11)],
  ...[moved(8, 2), moved(9, 2), moved(10, 2), moved(11, 2)],
  ...[anew(12, 5), anew(12, 5), anew(12, 11)],
  moved(13),
];

const read = (text: string, original: Original) => readPlaybook(text, { file: 'old.yaml', original });

describe('a playbook that was translated (MIG-2)', () => {
  it('has its diagnostics where the author wrote what they are about', () => {
    const { playbook, diagnostics } = read(TRANSLATED, { text: ORIGINAL, origins: ORIGINS });
    expect(playbook).toBeUndefined();
    expect(diagnostics).toMatchObject([
      { code: 'NOETL_NAME_CTX', line: 11, column: 20, sourceLine: '    args: { n: "{{ ctx.no }}" }' },
      { code: 'NOETL_ARC_TARGET_UNKNOWN', line: 12, column: 11, length: 7, sourceLine: '    next: nowhere' },
    ]);
  });

  it('has the places of its parts, templates and code there, too', () => {
    const text = TRANSLATED.replace('nowhere', 'start');
    const original = ORIGINAL.replace('nowhere', 'start');
    const { playbook } = read(text, { text: original, origins: ORIGINS });
    const [step] = playbook?.workflow ?? [];
    const [task] = step?.tasks ?? [];
    expect(step?.place).toEqual({ line: 5, column: 11 });
    expect(task?.place).toEqual({ line: 7, column: 11 });
    expect(task?.codeAt).toEqual({ line: 9, column: 1, byLine: true });
    expect(step?.router?.arcs[0]?.place).toEqual({ line: 12, column: 11 });
    const [template] = task?.args === undefined ? [] : templatesOf(task.args);
    expect(template?.placeAt(template.template.source.indexOf('no }}'))).toEqual({ line: 11, column: 24 });
  });

  it('does not count the lines of code whose lines were not moved together', () => {
    const origins = ORIGINS.map((origin, i) => (i === 10 ? anew(7, 5) : origin));
    const { playbook } = read(TRANSLATED.replace('nowhere', 'start'), { text: ORIGINAL, origins });
    expect(playbook?.workflow[0]?.tasks[0]?.codeAt).toMatchObject({ line: 8, byLine: false });
  });

  it('stays within the lines of the original, whatever the origins say', () => {
    const origins = TRANSLATED.split('\n').map(() => moved(2, -500));
    const { diagnostics } = read(TRANSLATED, { text: ORIGINAL, origins });
    for (const { line, column, length } of diagnostics) expect([line, column, length]).toEqual([2, 15, 1]);
    expect(read(TRANSLATED, { text: ORIGINAL, origins: [] }).diagnostics[0]).toMatchObject({ line: 12 });
  });
});
