import { describe, expect, it } from 'vitest';
import { checkDocuments } from './document-cases.testing.ts';
import { complaint, diagnose, HEAD, playbookOf, STEPS, withSteps, withTask } from './reading-playbooks.testing.ts';

const META = 'metadata: { name: x }\n';

describe('DOC-1: apiVersion and kind', () => {
  checkDocuments([
    ['are taken', `apiVersion: noetl.io/v2\nkind: Playbook\n${META}${STEPS}`, []],
    ['are taken in quotes', `apiVersion: "noetl.io/v2"\nkind: 'Playbook'\n${META}${STEPS}`, []],
    ['another version', `apiVersion: noetl.io/v1\nkind: Playbook\n${META}${STEPS}`, ['NOETL_API_VERSION 1:13']],
    [
      'a version in other letters',
      `apiVersion: NoETL.io/v2\nkind: Playbook\n${META}${STEPS}`,
      ['NOETL_API_VERSION 1:13'],
    ],
    ['a number as version', `apiVersion: 2\nkind: Playbook\n${META}${STEPS}`, ['NOETL_API_VERSION 1:13']],
    ['no version', `kind: Playbook\n${META}${STEPS}`, ['NOETL_REQUIRED 1:1']],
    ['another kind', `apiVersion: noetl.io/v2\nkind: playbook\n${META}${STEPS}`, ['NOETL_KIND 2:7']],
    ['no kind', `apiVersion: noetl.io/v2\n${META}${STEPS}`, ['NOETL_REQUIRED 1:1']],
    ['a list instead of a document', '- a\n', ['NOETL_TYPE 1:1']],
    ['an empty document', '', ['NOETL_TYPE 1:1']],
  ]);
});

describe('DOC-2: root keys', () => {
  checkDocuments([
    ['all of them', `${HEAD}keychain: []\nexecutor: {}\nworkload: {}\nworkbook: {}\n${STEPS}`, []],
    ['an unknown one', `${HEAD}extra: 1\n${STEPS}`, ['NOETL_KEY_UNKNOWN 4:1']],
    ['two unknown ones', `${HEAD}extra: 1\n${STEPS}steps: []\n`, ['NOETL_KEY_UNKNOWN 4:1', 'NOETL_KEY_UNKNOWN 8:1']],
    ['vars', `${HEAD}vars: {}\n${STEPS}`, ['NOETL_LEGACY 4:1']],
    ['do', `${HEAD}do: fail\n${STEPS}`, ['NOETL_DIRECTIVE_MISPLACED 4:1']],
  ]);

  it('a misspelt key gets the nearest one', () => {
    expect(complaint(`${HEAD}wrkload: {}\n${STEPS}`)).toBe(
      "the playbook has the unknown key 'wrkload' | Did you mean 'workload'?",
    );
  });

  it('vars has a message of its own', () => {
    expect(complaint(`${HEAD}vars: {}\n${STEPS}`)).toContain('Defaults are workload');
    expect(complaint(`${HEAD}vars: {}\n${STEPS}`)).toContain('noetl migrate');
  });

  it('an extension key passes if it is allowed', () => {
    expect(diagnose(`${HEAD}x-team: a\n${STEPS}`, ['x-team'])).toEqual([]);
    expect(diagnose(`${HEAD}x-team: a\n${STEPS}`, ['x-other'])).toEqual(['NOETL_KEY_UNKNOWN 4:1']);
  });
});

describe('DOC-4: workflow and entry', () => {
  const step = (name: string) => `  - step: ${name}\n    tool: { kind: noop }\n`;
  const entry = (name: string) => `executor: { spec: { entry_step: ${name} } }\n`;
  checkDocuments([
    ['the step named start', withSteps(step('start')), []],
    ['the entry_step', `${HEAD}${entry('go')}workflow:\n${step('go')}`, []],
    ['missing', HEAD, ['NOETL_REQUIRED 1:1']],
    ['a mapping', `${HEAD}workflow: { start: {} }\n`, ['NOETL_TYPE 4:11']],
    ['an empty list', `${HEAD}workflow: []\n`, ['NOETL_REQUIRED 4:11']],
    ['a step that is text', withSteps('  - start\n'), ['NOETL_TYPE 5:5']],
    ['a step without name', withSteps(`${step('start')}  - tool: { kind: noop }\n`), ['NOETL_REQUIRED 7:5']],
    ['two steps of one name', withSteps(`${step('start')}${step('start')}`), ['NOETL_STEP_DUPLICATE 7:11']],
    ['neither start nor entry_step', withSteps(step('go')), ['NOETL_ENTRY_MISSING 4:1']],
    [
      'an entry_step that does not exist',
      `${HEAD}${entry('strat')}workflow:\n${step('start')}`,
      ['NOETL_ARC_TARGET_UNKNOWN 4:33'],
    ],
    [
      'a result_step that does not exist',
      `${HEAD}executor: { spec: { result_step: nope } }\nworkflow:\n${step('start')}`,
      ['NOETL_ARC_TARGET_UNKNOWN 4:34'],
    ],
    [
      'more than 1,000 steps',
      withSteps(Array.from({ length: 1_001 }, (_, i) => step(`s${i}`)).join('')),
      ['NOETL_LIMIT 5:3'],
    ],
  ]);

  it('says which step is the entry', () => {
    expect(playbookOf(withSteps(step('start'))).entryStep).toBe('start');
    const both = `${HEAD}${entry('go')}workflow:\n${step('start')}${step('go')}`;
    expect(diagnose(both)).toEqual(['NOETL_STEP_UNREACHABLE 6:11']);
    expect(playbookOf(both).entryStep).toBe('go');
  });
});

describe('DOC-11: what a run produces is not judged', () => {
  checkDocuments([
    [
      'a loop over a number',
      withSteps('  - step: start\n    loop: { in: "{{ 5 }}", iterator: i }\n    tool: { kind: noop }\n'),
      [],
    ],
    ['a division by zero', withTask('{ kind: noop, result: "{{ 1 / 0 }}" }'), []],
    ['text where a number is needed', withTask('{ kind: wait, for: delay, seconds: "{{ \'x\' }}" }'), []],
    ['a template that cannot be read', withTask('{ kind: noop, result: "a {{ b" }'), ['NOETL_TEMPLATE_SYNTAX 6:36']],
    ['an unknown filter', withTask('{ kind: noop, result: "{{ 1 | uper }}" }'), ['NOETL_TEMPLATE_NAME 6:41']],
  ]);

  it('every problem of a file is reported in one run, in the order of the file', () => {
    const text = `apiVersion: noetl.io/v1
kind: Playbook
metadata: {}
extra: 1
workflow:
  - step: go
    when: x
    tool: { kind: htp }
    next: { arcs: [{ step: nowhere }, { step: end, when: x }] }
  - step: go
    tool: { kind: noop, result: "{{ 1 + }}" }
`;
    expect(diagnose(text)).toEqual([
      'NOETL_API_VERSION 1:13',
      'NOETL_REQUIRED 3:11',
      'NOETL_KEY_UNKNOWN 4:1',
      'NOETL_ENTRY_MISSING 5:1',
      'NOETL_LEGACY 7:5',
      'NOETL_TASK_KIND_UNKNOWN 8:19',
      'NOETL_ARC_TARGET_UNKNOWN 9:28',
      'NOETL_WHEN_SHAPE 9:58',
      'NOETL_STEP_DUPLICATE 10:11',
      'NOETL_TEMPLATE_SYNTAX 11:41',
    ]);
  });
});
