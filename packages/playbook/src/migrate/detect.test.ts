import { describe, expect, it } from 'vitest';
import { migratePlaybook } from './migrate-playbook.ts';

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: p }\n';

const found = (text: string) =>
  migratePlaybook(text, { file: 'p.yaml' }).dialects.map(
    ({ dialect, evidence }) => `${dialect}: ${evidence.map(({ line, what }) => `${line} ${what}`).join(', ')}`,
  );

const steps = (text: string) => found(`${HEAD}workflow:\n${text}`);

describe('the dialects of a document (MIG-1)', () => {
  it('is canonical where nothing older is found', () => {
    expect(steps('  - step: start\n    tool: { kind: noop, args: { input: 1, set: 2, vars: 3 } }\n')).toEqual([
      'v10: ',
    ]);
    expect(steps("  - step: start\n    tool: { kind: noop, result: '{{ results.output.data }}' }\n")).toEqual([
      'v10: ',
    ]);
  });

  it.each([
    [
      "today's public names",
      '  - step: start\n    tool: { kind: noop, input: { a: 1 } }\n',
      ["public-names: 6 a task of the step 'start' has 'input'"],
    ],
    [
      'public names in templates',
      "  - step: start\n    tool: { kind: noop }\n    next: { arcs: [{ step: end, when: '{{ output.status == 1 }}' }] }\n",
      ["public-names: 7 a template reads 'output.status'"],
    ],
    [
      'seed 002, whose lists are its own',
      '  - step: start\n    when: true\n    spec: { next_mode: inclusive }\n    next: [{ step: end }]\n',
      [
        "eval-002: 6 the step 'start' has 'when', 7 the step 'start' has spec.next_mode, 8 'next' of the step 'start' is a list",
      ],
    ],
    [
      'seed 003',
      '  - step: start\n    tool: { kind: noop }\n    case: []\n    next: end\n',
      ["case-003: 7 the step 'start' has 'case', 8 'next' of the step 'start' is a name"],
    ],
    [
      'seed 004',
      "  - step: start\n    type: http\n    url: u\n    next: [{ when: '{{ a }}', then: [{ step: end }] }]\n",
      ["v1-004: 6 the step 'start' has 'type', 8 'next' of the step 'start' has 'then' or 'else'"],
    ],
    [
      'a kind alone',
      '  - step: start\n    tool: python\n    code: a\n',
      ["tool-string: 6 the step 'start' has 'tool: python'"],
    ],
  ])('%s', (_, text, dialects) => {
    expect(steps(text)).toEqual(dialects);
  });

  it('finds several in one document, newest first', () => {
    const text = `apiVersion: noetl.io/v1\nkind: Playbook\nmetadata: { name: p }\nworkflow:\n  - step: start\n    vars: {}\n    tool: noop\n`;
    expect(found(text)).toEqual([
      "case-003: 6 the step 'start' has 'vars'",
      "v1-004: 1 apiVersion is 'noetl.io/v1'",
      "tool-string: 7 the step 'start' has 'tool: noop'",
    ]);
  });
});
