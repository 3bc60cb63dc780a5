import { describe, expect, it } from 'vitest';
import { templatesOf } from '../model/templated.ts';
import { readPlaybook } from '../read-playbook.ts';
import { HEAD } from '../reading-playbooks.testing.ts';

describe('a character of a template', () => {
  /** The place in the file of `MARK` in the only template of the workload. */
  function placeOfMark(workload: string) {
    const text = `${HEAD}workload:\n${workload}\nworkflow: [{ step: start, tool: { kind: noop } }]\n`;
    const { playbook, diagnostics } = readPlaybook(text, { file: 'x.yaml' });
    if (playbook === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
    const [only] = templatesOf(playbook.workload);
    return only?.placeAt(only.template.source.indexOf('MARK'));
  }

  it.each([
    ['plain text', '  a: b {{ MARK }}', { line: 5, column: 11 }],
    ['quotes', '  a: "{{ MARK }}"', { line: 5, column: 10 }],
    ['quotes with escapes before it', '  a: "\\u00fc\\t{{ MARK }}"', { line: 5, column: 18 }],
    ['a list', '  a: [1, "{{ MARK }}"]', { line: 5, column: 14 }],
    ['a literal block', '  a: |\n    one\n    {{ MARK }}', { line: 7, column: 8 }],
    ['a folded block', '  a: >\n    one\n    two\n    {{ MARK }}', { line: 8, column: 8 }],
    ['quotes over several lines', '  a: "one\n    two\n    {{ MARK }}"', { line: 7, column: 8 }],
  ])('in %s has its place in the file', (_, workload, place) => {
    expect(placeOfMark(workload)).toEqual(place);
  });

  it('in a condition has its place in the file, blanks around it or not', () => {
    for (const [when, column] of [
      ['"{{ MARK }}"', 41],
      ['"  {{ MARK }} "', 43],
    ] as const) {
      const text = `${HEAD}workflow:\n  - step: start\n    next: { arcs: [{ step: end, when: ${when} }] }\n`;
      const condition = readPlaybook(text, { file: 'x.yaml' }).playbook?.workflow[0]?.router?.arcs[0]?.when;
      const template = condition?.kind === 'template' ? condition : undefined;
      expect(template?.placeAt(template.template.source.indexOf('MARK'))).toEqual({ line: 6, column: column + 2 });
    }
  });
});
