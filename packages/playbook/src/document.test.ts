import { describe, expect, it } from 'vitest';
import { complaint, diagnose, HEAD, playbookOf, withSteps, withTask, withThen } from './reading-playbooks.testing.ts';

/** A title, a document, and `CODE line:column` of everything that must be said about it. */
type Case = readonly [title: string, text: string, expected: readonly string[]];

const check = (cases: readonly Case[]) =>
  it.each(cases)('%s', (_title, text, expected) => {
    expect(diagnose(text)).toEqual(expected);
  });

const STEPS = 'workflow:\n  - step: start\n    tool: { kind: noop }\n';
const META = 'metadata: { name: x }\n';

describe('DOC-1: apiVersion and kind', () => {
  check([
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
  check([
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

describe('DOC-3: metadata', () => {
  const metadata = (text: string) => `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: ${text}\n${STEPS}`;
  check([
    ['only a name', metadata('{ name: x }'), []],
    [
      'everything',
      metadata('{ name: x, path: a/b, version: 1.0, description: d, labels: { a: b, n: 1, on: true }, tags: [t, 2] }'),
      [],
    ],
    ['missing', `apiVersion: noetl.io/v2\nkind: Playbook\n${STEPS}`, ['NOETL_REQUIRED 1:1']],
    ['no mapping', metadata('x'), ['NOETL_TYPE 3:11']],
    ['no name', metadata('{ path: a }'), ['NOETL_REQUIRED 3:11']],
    ['an empty name', metadata('{ name: "" }'), ['NOETL_TYPE 3:19']],
    ['a list as name', metadata('{ name: [a] }'), ['NOETL_TYPE 3:19']],
    ['an unknown key', metadata('{ name: x, owner: me }'), ['NOETL_KEY_UNKNOWN 3:22']],
    ['labels that are a list', metadata('{ name: x, labels: [a] }'), ['NOETL_TYPE 3:30']],
    ['a label that is a mapping', metadata('{ name: x, labels: { a: {} } }'), ['NOETL_TYPE 3:35']],
    ['tags that are text', metadata('{ name: x, tags: a }'), ['NOETL_TYPE 3:28']],
    ['a tag that is a list', metadata('{ name: x, tags: [a, []] }'), ['NOETL_TYPE 3:32']],
  ]);

  it('path defaults to name, and numbers stay as they are written', () => {
    expect(playbookOf(metadata('{ name: x }')).metadata).toMatchObject({ name: 'x', path: 'x', labels: {}, tags: [] });
    expect(playbookOf(metadata('{ name: 2024, path: a/b, version: 1.10 }')).metadata).toMatchObject({
      name: '2024',
      path: 'a/b',
      version: '1.10',
    });
  });
});

describe('DOC-4: workflow and entry', () => {
  const step = (name: string) => `  - step: ${name}\n    tool: { kind: noop }\n`;
  const entry = (name: string) => `executor: { spec: { entry_step: ${name} } }\n`;
  check([
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

describe('DOC-5: step keys', () => {
  const step = (line: string) => withSteps(`  - step: start\n    ${line}\n    tool: { kind: noop }\n`);
  check([
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
        /^the step 'start' has the key '\w+' \| .{20,}; noetl migrate rewrites it\.$/,
      );
    },
  );

  it('a step without tool is a no-op, not an error', () => {
    expect(playbookOf(withSteps('  - step: start\n')).workflow[0]?.tasks).toEqual([]);
  });
});

describe('DOC-6: tool forms', () => {
  const tool = (text: string) => withSteps(`  - step: start\n    tool:\n${text}`);
  const policy = 'spec: { policy: { rules: [{ else: { then: { do: jump, to: b } } }] } }';
  check([
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
  check([
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
    ['args that are a list', withTask('{ kind: noop, args: [] }'), ['NOETL_TYPE 6:31']],
    ['code that looks like a template', withTask('{ kind: python, code: "{{ not a template" }'), []],
  ]);
});

describe('DOC-7: next', () => {
  const next = (text: string) => withSteps(`  - step: start\n    next: ${text}\n`);
  check([
    ['arcs alone', next('{ arcs: [{ step: end }] }'), []],
    [
      'everything',
      next(
        '{ spec: { mode: inclusive, on_failure: all, policy: {} }, arcs: [{ step: end, when: "{{ ctx is defined }}", args: { a: 1 }, spec: {} }] }',
      ),
      [],
    ],
    ['a name', next('end'), ['NOETL_NEXT_SHAPE 6:11']],
    ['a list', next('[{ step: end }]'), ['NOETL_NEXT_SHAPE 6:11']],
    [
      'an older condition',
      next('{ when: "{{ true }}", then: [{ step: end }] }'),
      ['NOETL_REQUIRED 6:11', 'NOETL_NEXT_SHAPE 6:13', 'NOETL_NEXT_SHAPE 6:33'],
    ],
    ['no arcs', next('{ spec: {} }'), ['NOETL_REQUIRED 6:11']],
    ['arcs that are a mapping', next('{ arcs: { step: end } }'), ['NOETL_TYPE 6:19']],
    ['an arc that is text', next('{ arcs: [end] }'), ['NOETL_TYPE 6:20']],
    ['an arc without step', next('{ arcs: [{ when: true }] }'), ['NOETL_REQUIRED 6:20']],
    ['an arc with an unknown key', next('{ arcs: [{ step: end, if: true }] }'), ['NOETL_KEY_UNKNOWN 6:33']],
    ['an arc with set', next('{ arcs: [{ step: end, set: {} }] }'), ['NOETL_LEGACY 6:33']],
    ['an unknown mode', next('{ spec: { mode: all }, arcs: [] }'), ['NOETL_VALUE 6:27']],
    ['an unknown on_failure', next('{ spec: { on_failure: none }, arcs: [] }'), ['NOETL_VALUE 6:33']],
    ['args that are a list', next('{ arcs: [{ step: end, args: [1] }] }'), ['NOETL_TYPE 6:39']],
    ['args that a template makes', next('{ arcs: [{ step: end, args: "{{ ctx }}" }] }'), []],
    ['an arc to an unknown step', next('{ arcs: [{ step: strat }] }'), ['NOETL_ARC_TARGET_UNKNOWN 6:28']],
    ['an arc to an undefined end', next('{ arcs: [{ step: end }] }'), []],
  ]);

  it('proposes the step that was meant', () => {
    expect(complaint(next('{ arcs: [{ step: strat }] }'))).toBe(
      "the step 'strat' does not exist in this workflow | Did you mean 'start'?",
    );
    expect(complaint(next('{ arcs: [{ step: other }] }'))).toBe(
      "the step 'other' does not exist in this workflow | Its steps are: start.",
    );
  });

  it('defaults to exclusive routing that leaves failures to arcs that read event', () => {
    expect(playbookOf(next('{ arcs: [] }')).workflow[0]?.router).toEqual({
      mode: 'exclusive',
      onFailure: 'event',
      arcs: [],
    });
  });
});

describe('DOC-8: loop', () => {
  const loop = (text: string) => withSteps(`  - step: start\n    loop: ${text}\n    tool: { kind: noop }\n`);
  check([
    ['in and iterator', loop('{ in: [1], iterator: item }'), []],
    ['a template', loop('{ in: "{{ workload }}", iterator: item }'), []],
    [
      'everything',
      loop(
        '{ in: [1], iterator: item, spec: { mode: parallel, max_in_flight: 3, policy: { exec: distributed, failure: best_effort } } }',
      ),
      [],
    ],
    [
      'an inner loop that uses iter',
      loop('{ in: [[1]], iterator: row, loop: { in: "{{ iter.row }}", iterator: cell } }'),
      [],
    ],
    ['no in', loop('{ iterator: item }'), ['NOETL_REQUIRED 6:11']],
    ['no iterator', loop('{ in: [1] }'), ['NOETL_REQUIRED 6:11']],
    ['an iterator that no template can read', loop('{ in: [1], iterator: my-item }'), ['NOETL_VALUE 6:32']],
    ['a name the iteration has already', loop('{ in: [1], iterator: index }'), ['NOETL_VALUE 6:32']],
    ['text', loop('items'), ['NOETL_TYPE 6:11']],
    ['an unknown key', loop('{ in: [1], iterator: i, chunk: 5 }'), ['NOETL_KEY_UNKNOWN 6:35']],
    ['the mode outside of spec', loop('{ in: [1], iterator: i, mode: parallel }'), ['NOETL_LEGACY 6:35']],
    [
      'an older name',
      loop('{ collection: [1], element: i }'),
      ['NOETL_REQUIRED 6:11', 'NOETL_REQUIRED 6:11', 'NOETL_LEGACY 6:13', 'NOETL_LEGACY 6:30'],
    ],
    ['an unknown mode', loop('{ in: [1], iterator: i, spec: { mode: async } }'), ['NOETL_VALUE 6:49']],
    ['max_in_flight of 0', loop('{ in: [1], iterator: i, spec: { max_in_flight: 0 } }'), ['NOETL_VALUE 6:58']],
    ['max_in_flight of 1.5', loop('{ in: [1], iterator: i, spec: { max_in_flight: 1.5 } }'), ['NOETL_VALUE 6:58']],
    ['an unknown exec', loop('{ in: [1], iterator: i, spec: { policy: { exec: remote } } }'), ['NOETL_VALUE 6:59']],
    [
      'an unknown failure',
      loop('{ in: [1], iterator: i, spec: { policy: { failure: ignore } } }'),
      ['NOETL_VALUE 6:62'],
    ],
    [
      'an unknown key of its policy',
      loop('{ in: [1], iterator: i, spec: { policy: { rules: [] } } }'),
      ['NOETL_KEY_UNKNOWN 6:53'],
    ],
    [
      'a problem in the inner loop',
      loop('{ in: [[1]], iterator: row, loop: { in: "{{ iter.row }}" } }'),
      ['NOETL_REQUIRED 6:45'],
    ],
    [
      'without a tool',
      withSteps('  - step: start\n    loop: { in: [1], iterator: i }\n    next: { arcs: [{ step: end }] }\n'),
      ['NOETL_REQUIRED 6:5'],
    ],
  ]);

  it('has the defaults of the language, and exec from the profile', () => {
    const read = (head: string) =>
      playbookOf(
        `${HEAD}${head}workflow:\n  - step: start\n    loop: { in: [1], iterator: i }\n    tool: { kind: noop }\n`,
      ).workflow[0]?.loop;
    expect(read('')).toMatchObject({
      mode: 'sequential',
      maxInFlight: 10,
      exec: 'local',
      failure: 'fail_fast',
      inner: undefined,
    });
    expect(read('executor: { profile: distributed }\n')).toMatchObject({ exec: 'distributed' });
  });

  it('nests', () => {
    const playbook = playbookOf(
      loop('{ in: [[1]], iterator: row, loop: { in: "{{ iter.row }}", iterator: cell, spec: { mode: parallel } } }'),
    );
    expect(playbook.workflow[0]?.loop?.inner).toMatchObject({ iterator: 'cell', mode: 'parallel' });
  });
});

describe('DOC-9: task policy', () => {
  const policy = (text: string) => withTask(`{ kind: noop, spec: { policy: ${text} } }`);
  const rules = (text: string) => policy(`{ rules: [${text}, { else: { then: { do: continue } } }] }`);
  check([
    ['when and then, else', rules('{ when: "{{ outcome.status == \'ok\' }}", then: { do: break } }'), []],
    ['else beside then', policy('{ rules: [{ else: , then: { do: fail } }] }'), []],
    ['else: true beside then', policy('{ rules: [{ else: true, then: { do: fail } }] }'), []],
    ['not an object (000 §13.1)', policy('[{ do: retry }]'), ['NOETL_POLICY_SHAPE 6:41']],
    ['text (000 §13.1)', policy('retry'), ['NOETL_POLICY_SHAPE 6:41']],
    ['no rules', policy('{}'), ['NOETL_REQUIRED 6:41']],
    ['no rule', policy('{ rules: [] }'), ['NOETL_POLICY_SHAPE 6:50']],
    ['rules that are a mapping', policy('{ rules: { when: true } }'), ['NOETL_TYPE 6:50']],
    [
      'an unknown key',
      policy('{ rules: [{ else: { then: { do: fail } } }], lifecycle: {} }'),
      ['NOETL_KEY_UNKNOWN 6:86'],
    ],
    ['no else', policy('{ rules: [{ when: true, then: { do: fail } }] }'), ['NOETL_ELSE_MISSING 6:43']],
    ['a rule without when and else', rules('{ then: { do: fail } }'), ['NOETL_POLICY_SHAPE 6:51']],
    ['a rule with when and else', rules('{ when: true, else: { then: { do: fail } } }'), ['NOETL_POLICY_SHAPE 6:51']],
    [
      'a rule after else',
      policy('{ rules: [{ else: { then: { do: fail } } }, { when: true, then: { do: fail } }] }'),
      ['NOETL_POLICY_SHAPE 6:85'],
    ],
    ['a rule without then', rules('{ when: true }'), ['NOETL_DIRECTIVE_MISSING 6:51']],
    ['then without do (000 §13.1)', rules('{ when: true, then: { attempts: 3 } }'), ['NOETL_DIRECTIVE_MISSING 6:71']],
    ['do beside then', rules('{ when: true, do: retry, then: { do: retry } }'), ['NOETL_DIRECTIVE_MISPLACED 6:65']],
    [
      'an older condition',
      rules('{ expr: x, else: { then: { do: fail } } }'),
      ['NOETL_LEGACY 6:53', 'NOETL_POLICY_SHAPE 6:94'],
    ],
  ]);

  describe('then', () => {
    check([
      ['continue', withThen('{ do: continue }'), []],
      [
        'retry with everything',
        withThen('{ do: retry, attempts: 5, backoff: exponential, delay: 0.5, max_delay: 60 }'),
        [],
      ],
      ['a delay that is a template', withThen('{ do: retry, delay: "{{ outcome.http.headers.retry_after }}" }'), []],
      ['jump', withThen('{ do: break }'), []],
      ['an unknown directive', withThen('{ do: stop }'), ['NOETL_VALUE 12:29']],
      ['an unknown key', withThen('{ do: fail, why: x }'), ['NOETL_KEY_UNKNOWN 12:35']],
      ['an older key', withThen('{ do: fail, set_vars: {} }'), ['NOETL_LEGACY 12:35']],
      ['text', withThen('retry'), ['NOETL_TYPE 12:23']],
      ['attempts of 0', withThen('{ do: retry, attempts: 0 }'), ['NOETL_VALUE 12:46']],
      ['an unknown backoff', withThen('{ do: retry, backoff: fast }'), ['NOETL_VALUE 12:45']],
      ['a negative delay', withThen('{ do: retry, delay: -1 }'), ['NOETL_VALUE 12:43']],
      ['a delay that is text', withThen('{ do: retry, delay: soon }'), ['NOETL_VALUE 12:43']],
      ['a max_delay that is text', withThen('{ do: retry, max_delay: x }'), ['NOETL_VALUE 12:47']],
      ['attempts without retry', withThen('{ do: fail, attempts: 3 }'), ['NOETL_KEY_UNKNOWN 12:35']],
      ['to without jump', withThen('{ do: fail, to: a }'), ['NOETL_KEY_UNKNOWN 12:35']],
      ['jump without to', withThen('{ do: jump }'), ['NOETL_REQUIRED 12:23']],
      ['jump to an unknown task', withThen('{ do: jump, to: tsk_1 }'), ['NOETL_JUMP_TARGET_UNKNOWN 12:39']],
      ['set_ctx', withThen('{ do: continue, set_ctx: { a: 1 } }'), []],
      ['set_ctx that is a list', withThen('{ do: continue, set_ctx: [a] }'), ['NOETL_TYPE 12:48']],
      [
        'set_iter outside of a loop',
        withThen('{ do: continue, set_iter: { a: 1 } }'),
        ['NOETL_SET_ITER_MISPLACED 12:39'],
      ],
      [
        'set_shared outside of a loop',
        withThen('{ do: continue, set_shared: { a: { reduce: sum, value: 1 } } }'),
        ['NOETL_SET_SHARED_MISPLACED 12:39'],
      ],
    ]);
  });

  describe('in a loop', () => {
    const inLoop = (mode: string, then: string) =>
      withSteps(`  - step: start
    loop: { in: [1], iterator: i, spec: { mode: ${mode} } }
    tool: { kind: noop, spec: { policy: { rules: [{ else: { then: ${then} } }] } } }
`);
    check([
      ['set_iter', inLoop('sequential', '{ do: continue, set_iter: { a: 1 } }'), []],
      ['set_ctx from a sequential loop', inLoop('sequential', '{ do: continue, set_ctx: { a: 1 } }'), []],
      [
        'set_ctx from a parallel loop',
        inLoop('parallel', '{ do: continue, set_ctx: { a: 1 } }'),
        ['NOETL_SET_CTX_PARALLEL 7:83'],
      ],
      [
        'set_shared',
        inLoop('parallel', '{ do: continue, set_shared: { a: { reduce: sum, value: 1 }, b: { reduce: count } } }'),
        [],
      ],
      [
        'an unknown reducer',
        inLoop('parallel', '{ do: continue, set_shared: { a: { reduce: avg, value: 1 } } }'),
        ['NOETL_VALUE 7:110'],
      ],
      ['no reducer', inLoop('parallel', '{ do: continue, set_shared: { a: { value: 1 } } }'), ['NOETL_REQUIRED 7:100']],
      [
        'no value',
        inLoop('parallel', '{ do: continue, set_shared: { a: { reduce: max } } }'),
        ['NOETL_REQUIRED 7:100'],
      ],
    ]);
  });

  it('fills in what the language says of retries', () => {
    const then = playbookOf(withThen('{ do: retry }')).workflow[0]?.tasks[0]?.policy?.rules[0]?.then;
    expect(then).toMatchObject({ do: 'retry', attempts: 3, backoff: 'none', delay: { kind: 'literal', value: 1 } });
  });

  it('finds jumps to labels that were left to the position', () => {
    expect(
      diagnose(
        withTask(
          '[{ kind: noop, spec: { policy: { rules: [{ else: { then: { do: jump, to: task_2 } } }] } } }, { kind: noop }]',
        ),
      ),
    ).toEqual([]);
    expect(complaint(withThen('{ do: jump, to: tsk_1 }'))).toContain("Did you mean 'task_1'?");
  });
});

describe('DOC-9: directives outside of a task policy', () => {
  check([
    ['in a task', withTask('{ kind: noop, do: retry }'), ['NOETL_DIRECTIVE_MISPLACED 6:25']],
    [
      'in an arc',
      withSteps('  - step: start\n    next: { arcs: [{ step: end, do: fail }] }\n'),
      ['NOETL_DIRECTIVE_MISPLACED 6:33'],
    ],
    [
      'in an admission rule',
      withSteps(
        '  - step: start\n    spec: { policy: { admit: { rules: [{ else: { then: { do: skip, allow: true } } }] } } }\n    tool: { kind: noop }\n',
      ),
      ['NOETL_DIRECTIVE_MISPLACED 6:58'],
    ],
    ['in spec', withTask('{ kind: noop, spec: { do: fail } }'), ['NOETL_DIRECTIVE_MISPLACED 6:33']],
  ]);
});

describe('DOC-10: keychain, workbook, executor', () => {
  const root = (text: string) => `${HEAD}${text}\n${STEPS}`;
  check([
    [
      'a keychain',
      root('keychain: [{ name: a, kind: bearer, token: "{{ workload }}" }, { name: b, kind: credential }]'),
      [],
    ],
    ['a keychain that is a mapping', root('keychain: { a: {} }'), ['NOETL_TYPE 4:11']],
    ['an entry without name', root('keychain: [{ kind: credential }]'), ['NOETL_REQUIRED 4:12']],
    ['an entry without kind', root('keychain: [{ name: a }]'), ['NOETL_REQUIRED 4:12']],
    ['an entry of an unknown kind', root('keychain: [{ name: a, kind: bearr }]'), ['NOETL_VALUE 4:29']],
    ['an entry without its field', root('keychain: [{ name: a, kind: bearer }]'), ['NOETL_TASK_FIELD 4:12']],
    [
      'an entry with an unknown field',
      root('keychain: [{ name: a, kind: bearer, token: t, ttl: 1 }]'),
      ['NOETL_KEY_UNKNOWN 4:47'],
    ],
    [
      'two entries of one name',
      root('keychain: [{ name: a, kind: credential }, { name: a, kind: credential }]'),
      ['NOETL_VALUE 4:51'],
    ],
    ['a workbook by name', root('workbook: { clean: { kind: noop } }'), []],
    ['a workbook as a list', root('workbook: [{ name: clean, kind: noop }, { wash: { kind: noop } }]'), []],
    ['a workbook that is text', root('workbook: x'), ['NOETL_TYPE 4:11']],
    ['a task of the workbook that is wrong', root('workbook: { clean: { kind: http } }'), ['NOETL_TASK_FIELD 4:20']],
    [
      'the same name twice in a workbook list',
      root('workbook: [{ name: a, kind: noop }, { name: a, kind: noop }]'),
      ['NOETL_LABEL_DUPLICATE 4:45'],
    ],
    [
      'an executor',
      root(
        'executor: { profile: distributed, version: noetl-runtime/2, spec: { timeout: 5, execution_timeout: 60, step_timeout: 9, result: { store: file } } }',
      ),
      [],
    ],
    ['an unknown profile', root('executor: { profile: cloud }'), ['NOETL_VALUE 4:22']],
    ['another runtime', root('executor: { version: noetl-runtime/1 }'), ['NOETL_VALUE 4:22']],
    ['an unknown key of the executor', root('executor: { name: x }'), ['NOETL_KEY_UNKNOWN 4:13']],
    ['an unknown key of its spec', root('executor: { spec: { pool: x } }'), ['NOETL_KEY_UNKNOWN 4:21']],
    ['a timeout of 0', root('executor: { spec: { timeout: 0 } }'), ['NOETL_VALUE 4:30']],
    ['an execution_timeout that is text', root('executor: { spec: { execution_timeout: 1h } }'), ['NOETL_VALUE 4:40']],
    ['a workload that is a list', root('workload: [1]'), ['NOETL_TYPE 4:11']],
    ['an empty workload', root('workload:'), []],
  ]);

  it('a workbook is a mapping afterwards, whichever way it was written', () => {
    const names = (text: string) =>
      [...playbookOf(root(text)).workbook].map(([name, task]) => [name, task.label, task.kind]);
    const expected = [
      ['clean', 'clean', 'noop'],
      ['wash', 'wash', 'noop'],
    ];
    expect(names('workbook: { clean: { kind: noop }, wash: { kind: noop } }')).toEqual(expected);
    expect(names('workbook: [{ name: clean, kind: noop }, { name: wash, kind: noop }]')).toEqual(expected);
    expect(names('workbook: [{ clean: { kind: noop } }, { wash: { kind: noop } }]')).toEqual(expected);
  });
});

describe('DOC-11: what a run produces is not judged', () => {
  check([
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

describe('DOC-14: spec', () => {
  const spec = (text: string) => withTask(`{ kind: http, url: u, spec: ${text} }`);
  check([
    ['a timeout in seconds', spec('{ timeout: 2.5 }'), []],
    ['a timeout in parts', spec('{ timeout: { connect: 1, read: 2 } }'), []],
    ['a timeout with an unknown part', spec('{ timeout: { total: 1 } }'), ['NOETL_KEY_UNKNOWN 6:52']],
    ['a timeout that is text', spec('{ timeout: 5s }'), ['NOETL_VALUE 6:50']],
    ['a timeout that is a template', spec('{ timeout: "{{ workload }}" }'), ['NOETL_VALUE 6:50', 'NOETL_VALUE 6:50']],
    ['a store by name', spec('{ result: { store: gcs } }'), []],
    ['a store with its fields', spec('{ result: { store: { kind: gcs, bucket: b } } }'), []],
    ['an unknown store', spec('{ result: { store: { kind: s3 } } }'), ['NOETL_VALUE 6:66']],
    ['a layer for a kind', spec('{ http: { timeout: 3 } }'), []],
    ['a layer with an unknown key', spec('{ http: { retries: 3 } }'), ['NOETL_KEY_UNKNOWN 6:49']],
    ['a layer for a kind inside of one', spec('{ http: { http: { timeout: 1 } } }'), ['NOETL_KEY_UNKNOWN 6:49']],
    ['what belongs to a step', spec('{ join: all }'), ['NOETL_KEY_UNKNOWN 6:41']],
    ['spec that is text', spec('fast'), ['NOETL_TYPE 6:39']],
    [
      'join, pool and step_timeout of a step',
      withSteps('  - step: start\n    spec: { join: any, pool: gpu, step_timeout: 5 }\n    tool: { kind: noop }\n'),
      [],
    ],
    [
      'a join of 0',
      withSteps('  - step: start\n    spec: { join: 0 }\n    tool: { kind: noop }\n'),
      ['NOETL_VALUE 6:19'],
    ],
    [
      'a join of a word',
      withSteps('  - step: start\n    spec: { join: both }\n    tool: { kind: noop }\n'),
      ['NOETL_VALUE 6:19'],
    ],
  ]);
});

describe('ENG-3: admission', () => {
  const admit = (text: string) =>
    withSteps(`  - step: start\n    spec: { policy: { admit: ${text} } }\n    tool: { kind: noop }\n`);
  check([
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

describe('DOC-15: when', () => {
  const when = (text: string) => withSteps(`  - step: start\n    next: { arcs: [{ step: end, when: ${text} }] }\n`);
  check([
    ['true', when('true'), []],
    ['false', when('false'), []],
    ['one template', when('"{{ ctx is defined }}"'), []],
    ['one template with blanks around', when('"  {{ ctx is defined }} "'), []],
    ['an expression without braces', when('ctx is defined'), ['NOETL_WHEN_SHAPE 6:39']],
    ['text around', when('"not {{ ctx }}"'), ['NOETL_WHEN_SHAPE 6:39']],
    ['two templates', when('"{{ ctx }}{{ args }}"'), ['NOETL_WHEN_SHAPE 6:39']],
    ['a statement', when('"{% if ctx %}true{% endif %}"'), ['NOETL_WHEN_SHAPE 6:39']],
    ['a number', when('1'), ['NOETL_WHEN_SHAPE 6:39']],
    ['nothing', when(''), ['NOETL_WHEN_SHAPE 6:40']],
    ['a list', when('[true]'), ['NOETL_WHEN_SHAPE 6:39']],
    ['a template that cannot be read', when('"{{ ctx. }}"'), ['NOETL_TEMPLATE_SYNTAX 6:48']],
  ]);

  it('shows how to write it', () => {
    expect(complaint(when('ctx is defined'))).toBe(
      "when is 'ctx is defined', expected a boolean or exactly one '{{ … }}' | Write when: \"{{ ctx is defined }}\".",
    );
  });
});
