import { describe, expect, it } from 'vitest';
import { checkDocuments } from '../document-cases.testing.ts';
import { complaint, diagnose, playbookOf, withSteps } from '../reading-playbooks.testing.ts';

describe('DOC-5: step keys', () => {
  const step = (line: string) => withSteps(`  - step: start\n    ${line}\n    tool: { kind: noop }\n`);
  checkDocuments([
    [
      'all of them',
      withSteps(
        '  - step: start\n    desc: d\n    spec: { timeout: 1 }\n    loop: { in: [1], iterator: i }\n    tool: { kind: noop }\n    next: { arcs: [{ step: end }] }\n',
      ),
      [],
    ],
    ['an unknown one', step('on_error: x'), ['NOETL_KEY_UNKNOWN 6:5']],
    ['do', step('do: retry'), ['NOETL_DIRECTIVE_MISPLACED 6:5']],
    ['spec.next_mode', step('spec: { next_mode: all }'), ['NOETL_LEGACY 6:13']],
    ['neither tool nor next', withSteps('  - step: start\n    desc: d\n'), ['NOETL_STEP_EMPTY 5:11']],
    ['only next', withSteps('  - step: start\n    next: { arcs: [{ step: end }] }\n'), []],
    ['desc that is a list', step('desc: []'), ['NOETL_TYPE 6:11']],
    [
      'outcome rules in the spec of a step',
      step('spec: { policy: { rules: [] } }'),
      ['NOETL_DIRECTIVE_MISPLACED 6:23'],
    ],
  ]);

  it.each(['when', 'case', 'retry', 'sink', 'vars', 'eval', 'expr', 'pipe', 'args', 'end_loop'])(
    'the older key %s names its canonical form and noetl migrate',
    (key) => {
      expect(diagnose(step(`${key}: x`))).toEqual(['NOETL_LEGACY 6:5']);
      expect(complaint(step(`${key}: x`))).toMatch(
        /^the step 'start' has the key '\w+' \| .{20,}; noetl migrate rewrites it, --legacy takes it as it is\.$/,
      );
    },
  );

  it('a step without tool is a no-op, not an error', () => {
    expect(playbookOf(withSteps('  - step: start\n')).workflow[0]?.tasks).toEqual([]);
  });
});

describe('ENG-3: admission', () => {
  const admit = (text: string) =>
    withSteps(`  - step: start\n    spec: { policy: { admit: ${text} } }\n    tool: { kind: noop }\n`);
  checkDocuments([
    [
      'rules',
      admit(
        '{ rules: [{ when: "{{ ctx is defined }}", then: { allow: true } }, { else: { then: { allow: false } } }] }',
      ),
      [],
    ],
    [
      'no else is no warning: the default is to allow',
      admit('{ rules: [{ when: true, then: { allow: false } }] }'),
      [],
    ],
    ['no rules', admit('{}'), ['NOETL_REQUIRED 6:30']],
    ['no allow', admit('{ rules: [{ else: { then: {} } }] }'), ['NOETL_REQUIRED 6:56']],
    ['allow that is text', admit('{ rules: [{ else: { then: { allow: "yes" } } }] }'), ['NOETL_TYPE 6:65']],
    ['a list', admit('[]'), ['NOETL_TYPE 6:30']],
  ]);
});
