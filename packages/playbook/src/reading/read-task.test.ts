import { describe, expect, it } from 'vitest';
import { checkDocuments } from '../document-cases.testing.ts';
import { playbookOf, withSteps, withTask } from '../reading-playbooks.testing.ts';

describe('the place of code', () => {
  const codeAt = (code: string) => {
    const task = `      kind: python\n      code: ${code}\n`;
    return playbookOf(withSteps(`  - step: start\n    tool:\n${task}`)).workflow[0]?.tasks[0]?.codeAt;
  };
  it.each(['|', '|-', '|+', '|2', '|  # a comment'])('is the line after %s, with one line for each', (header) => {
    expect(codeAt(`${header}\n        x = 1\n        y = 2`)).toEqual({ line: 9, column: 1, byLine: true });
  });
  it('is that of its anchor, if it is an alias', () => {
    const steps = `  - step: start\n    tool:\n      - { name: a, kind: python, code: &c "x = 1" }\n      - { name: b, kind: python, code: *c }\n`;
    const [first, second] = playbookOf(withSteps(steps)).workflow[0]?.tasks ?? [];
    expect(first?.codeAt).toEqual({ line: 7, column: 43, byLine: false });
    expect(second?.codeAt).toEqual(first?.codeAt);
  });
  it.each(['>\n        x = 1', '"x = 1"', "'x = 1'", 'x = 1'])('is where it begins, if it is written as %j', (code) => {
    expect(codeAt(code)).toEqual({ line: 8, column: 13, byLine: false });
  });
  it('is nowhere, if there is none', () => {
    expect(playbookOf(withTask('{ kind: noop }')).workflow[0]?.tasks[0]).not.toHaveProperty('codeAt');
    expect(playbookOf(withTask('{ kind: python, file: x.py }')).workflow[0]?.tasks[0]).not.toHaveProperty('codeAt');
  });
});

describe('DOC-6: tool forms', () => {
  const tool = (text: string) => withSteps(`  - step: start\n    tool:\n${text}`);
  const policy = 'spec: { policy: { rules: [{ else: { then: { do: jump, to: b } } }] } }';
  checkDocuments([
    ['one task', tool('      kind: noop\n'), []],
    ['a list of tasks', tool('      - { kind: noop }\n      - { name: b, kind: noop }\n'), []],
    ['a list of one-key maps', tool('      - a: { kind: noop }\n      - b: { kind: noop }\n'), []],
    ['mixed', tool('      - a: { kind: noop }\n      - { name: b, kind: noop }\n      - { kind: noop }\n'), []],
    [
      'the same label twice',
      tool('      - a: { kind: noop }\n      - a: { kind: noop }\n'),
      ['NOETL_LABEL_DUPLICATE 8:9'],
    ],
    [
      'the same name twice',
      tool('      - { name: a, kind: noop }\n      - { name: a, kind: noop }\n'),
      ['NOETL_LABEL_DUPLICATE 8:17'],
    ],
    [
      'a label like one given by position',
      tool('      - task_2: { kind: noop }\n      - { kind: noop }\n'),
      ['NOETL_LABEL_DUPLICATE 8:9'],
    ],
    ['an empty list', withTask('[]'), ['NOETL_TYPE 6:11']],
    ['text', withTask('http'), ['NOETL_TYPE 6:11']],
    ['a label without a task', tool('      - a: noop\n'), ['NOETL_TYPE 7:12']],
    ['a task without kind', withTask('{ url: "http://x", method: GET }'), ['NOETL_REQUIRED 6:11']],
    ['an unknown kind', withTask('{ kind: htpt, url: "http://x" }'), ['NOETL_TASK_KIND_UNKNOWN 6:19']],
    [
      'a policy in the first form',
      withTask('{ kind: noop, spec: { policy: { rules: [{ else: { then: { do: fail } } }] } } }'),
      [],
    ],
    [
      'a policy in the second form',
      tool(`      - { name: a, kind: noop, ${policy} }\n      - { name: b, kind: noop }\n`),
      [],
    ],
    ['a policy in the third form', tool(`      - a: { kind: noop, ${policy} }\n      - b: { kind: noop }\n`), []],
    [
      'more than 200 tasks',
      tool(Array.from({ length: 201 }, (_, i) => `      - t${i}: { kind: noop }\n`).join('')),
      ['NOETL_LIMIT 7:7'],
    ],
    ['200 tasks', tool(Array.from({ length: 200 }, (_, i) => `      - t${i}: { kind: noop }\n`).join('')), []],
  ]);

  it('missing labels come from the position, and name is the field of workbook and wait', () => {
    const labels = (text: string) => playbookOf(tool(text)).workflow[0]?.tasks.map((task) => task.label);
    expect(labels('      kind: noop\n')).toEqual(['task_1']);
    expect(labels('      - { kind: noop }\n      - { name: b, kind: noop }\n      - { kind: noop }\n')).toEqual([
      'task_1',
      'b',
      'task_3',
    ]);
    const text = `      - { kind: wait, for: signal, name: go }\n      - { kind: workbook, name: clean }\n`;
    const playbook = playbookOf(`${tool(text)}workbook: { clean: { kind: noop } }\n`);
    expect(playbook.workflow[0]?.tasks.map(({ label, fields }) => [label, fields.name])).toEqual([
      ['task_1', { kind: 'literal', value: 'go' }],
      ['task_2', { kind: 'literal', value: 'clean' }],
    ]);
  });
});

describe('TOOL-2: the fields of a kind', () => {
  checkDocuments([
    ['all common ones', withTask('{ kind: noop, desc: d, auth: a, args: { b: 1 }, spec: { timeout: 1 } }'), []],
    ['an unknown field', withTask('{ kind: http, url: "http://x", verb: GET }'), ['NOETL_KEY_UNKNOWN 6:42']],
    ['a missing field', withTask('{ kind: http, method: GET }'), ['NOETL_TASK_FIELD 6:11']],
    ['none of a group', withTask('{ kind: python, args: {} }'), ['NOETL_TASK_FIELD 6:11']],
    ['two of a group', withTask('{ kind: python, code: a, file: b }'), ['NOETL_TASK_FIELD 6:36']],
    ['half of a pair', withTask('{ kind: postgres, table: t }'), ['NOETL_TASK_FIELD 6:11']],
    ['a field of the wrong type', withTask('{ kind: http, url: [] }'), ['NOETL_TYPE 6:30']],
    ['a field that is a template', withTask('{ kind: http, url: "http://x", headers: "{{ workload }}" }'), []],
    ['a value that is none of the known', withTask('{ kind: http, url: u, response_type: xml }'), ['NOETL_VALUE 6:48']],
    ['a knob beside spec', withTask('{ kind: noop, timeout: 3 }'), ['NOETL_KEY_UNKNOWN 6:25']],
    ['an older key', withTask('{ kind: noop, with: {} }'), ['NOETL_LEGACY 6:25']],
    ['auth that a template names', withTask('{ kind: noop, auth: "{{ execution_id }}" }'), []],
    ['auth by several names', withTask('{ kind: noop, auth: { source: a, target: "{{ execution_id }}" } }'), []],
    ['auth that is a number', withTask('{ kind: noop, auth: 5 }'), ['NOETL_TYPE 6:31']],
    ['auth that is a list', withTask('{ kind: noop, auth: [a] }'), ['NOETL_TYPE 6:31']],
    ['auth that is empty', withTask('{ kind: noop, auth: "" }'), ['NOETL_TYPE 6:31']],
    ['args that are a list', withTask('{ kind: noop, args: [] }'), ['NOETL_TYPE 6:31']],
    ['code that looks like a template', withTask('{ kind: python, code: "{{ not a template" }'), []],
  ]);
});
