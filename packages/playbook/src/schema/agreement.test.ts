import { describe, expect, it } from 'vitest';
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import { KEYCHAIN_SCHEMAS } from '../kinds/keychain-kinds.ts';
import { KIND_SCHEMAS } from '../kinds/kinds.ts';
import {
  directive,
  loopDirective,
  parsed,
  readerErrors,
  root,
  rule,
  schemaErrors,
  step,
  task,
} from './agreement.testing.ts';

const valid: readonly (readonly [what: string, document: string])[] = [
  ['a step that does nothing', root('')],
  ['one task', task('kind: noop')],
  ['one task with a label', task('kind: noop, name: first')],
  ['one label with a task', task('first: { kind: noop }')],
  ['a list of tasks', step('tool: [{ kind: noop }, { kind: noop, name: second }]')],
  ['a list of labels with tasks', step('tool: [{ first: { kind: noop } }, { second: { kind: noop } }]')],
  ['a list of both', step('tool: [{ first: { kind: noop } }, { kind: noop }]')],
  ['a wait whose name is its own', step('tool: [{ ask: { kind: wait, for: approval, name: go } }]')],
  ['a number as a name', step('tool: [{ kind: noop, name: 1 }]')],
  ['a workbook as a mapping', root('workbook: { one: { kind: noop }, two: { kind: noop } }')],
  ['a workbook as a list of labels', root('workbook: [{ one: { kind: noop } }]')],
  ['a workbook as a list of named tasks', root('workbook: [{ kind: noop, name: one }]')],
  ['an empty workbook', root('workbook:')],
  ['an empty workload', root('workload:')],
  ['any workload', root('workload: { a: [1, { b: null }], c: "{{ 1 + 1 }}" }')],
  ['an empty keychain', root('keychain: []')],
  [
    'all of metadata',
    root('').replace('name: test', 'name: 2024, version: 1.0, labels: { a: true, b: 1 }, tags: [x, 1]'),
  ],
  ['an executor', root('executor: { profile: distributed, version: noetl-runtime/2, spec: { entry_step: start } }')],
  ['a spec of the executor by kind', root('executor: { spec: { timeout: 5, http: { timeout: { connect: 1 } } } }')],
  ['a store by name', root('executor: { spec: { result: { store: file } } }')],
  ['a store by kind', task('kind: noop, spec: { result: { store: { kind: gcs, bucket: b, prefix: p } } }')],
  [
    'limits of code',
    root('executor: { spec: { limits: { memory: 64, cpu: 0.5 }, python: { limits: { memory: 1 } } } }'),
  ],
  ['a spec of a step', step('spec: { join: all, pool: gpu, step_timeout: 5, timeout: 1.5 }')],
  ['a join of two tokens', step('spec: { join: 2 }')],
  [
    'admission with else inside',
    step('spec: { policy: { admit: { rules: [{ else: { then: { allow: false } } }] } } }'),
  ],
  [
    'admission with else beside',
    step(
      'spec: { policy: { admit: { rules: [{ when: true, then: { allow: true } }, { else: , then: { allow: false } }] } } }',
    ),
  ],
  ['a rule with a boolean', rule('when: false, then: { do: continue }')],
  ['a rule with one template', rule(`when: "{{ outcome.status == '}} {{' }}", then: { do: fail }`)],
  ['a template with blanks around', rule('when: " {{- outcome.status -}} ", then: { do: fail }')],
  ['a template with a mapping inside', rule(`when: "{{ {'a': {'b': true}}['a']['b'] }}", then: { do: fail }`)],
  ['else: true beside then', rule('else: true, then: { do: continue }')],
  ['a retry with all its keys', directive('do: retry, attempts: 5, backoff: linear, delay: 0, max_delay: 0.5')],
  ['a delay by template', directive('do: retry, delay: "{{ _attempt * 2 }}"')],
  [
    'a jump',
    step('tool: [{ a: { kind: noop, spec: { policy: { rules: [{ else: { then: { do: jump, to: a } } }] } } } }]'),
  ],
  ['patches', loopDirective('do: continue, set_ctx: { a: 1 }, set_iter: { b: "{{ iter.item }}" }')],
  ['shared writes', loopDirective('do: continue, set_shared: { n: { reduce: count }, s: { reduce: sum, value: 1 } }')],
  [
    'a loop in a loop',
    step('loop: { in: [[1]], iterator: row, loop: { in: "{{ iter.row }}", iterator: cell } }, tool: { kind: noop }'),
  ],
  [
    'a loop with all its spec',
    step(
      'loop: { in: [], iterator: x, spec: { mode: parallel, max_in_flight: 2, policy: { exec: local, failure: best_effort }, timeout: 3 } }, tool: { kind: noop }',
    ),
  ],
  ['a router without arcs', step('next: { arcs: [] }')],
  [
    'a router with a spec',
    step('next: { spec: { mode: inclusive, on_failure: all, policy: {} }, arcs: [{ step: end, spec: {} }] }'),
  ],
  ['an arc with args', step('next: { arcs: [{ step: end, when: true, args: { a: 1 } }] }')],
  ['args by template', step('next: { arcs: [{ step: end, args: "{{ args }}" }] }')],
  ['a list by template', task('kind: shell, command: "{{ workload.argv | default([]) }}"')],
  ['auth by name', task('kind: postgres, query: SELECT 1, auth: warehouse')],
  ['auth by template', task('kind: postgres, query: SELECT 1, auth: "{{ workload.credential }}"')],
  ['auth with several credentials', task('kind: duckdb, query: SELECT 1, auth: { source: a, target: b }')],
  ['a mapping by template', task('kind: http, url: x, headers: "{{ args }}"')],
  ['a boolean by template', task('kind: http, url: x, follow_redirects: "{{ true }}"')],
  ['a word by template', task(`kind: http, url: x, response_type: "{{ 'json' }}"`)],
  ['a statement block in place of a number', task('kind: wait, for: delay, seconds: "{% if true %}1{% endif %}"')],
  ['one line for a list of lines', task('kind: shell, cmds: echo hello')],
  ['rows in bulk', task('kind: postgres, table: t, rows: []')],
];

const invalid: readonly (readonly [what: string, document: string, code: DiagnosticCode])[] = [
  ['a list', '[]', 'NOETL_TYPE'],
  ['another version', root('').replace('noetl.io/v2', 'noetl.io/v1'), 'NOETL_API_VERSION'],
  ['another kind of document', root('').replace('Playbook', 'Pipeline'), 'NOETL_KIND'],
  ['no version', root('').replace('apiVersion: noetl.io/v2\n', ''), 'NOETL_REQUIRED'],
  ['no metadata', root('').replace('metadata: { name: test }\n', ''), 'NOETL_REQUIRED'],
  ['no workflow', 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: { name: test }', 'NOETL_REQUIRED'],
  ['an empty workflow', root('').replace('[{ step: start }]', '[]'), 'NOETL_REQUIRED'],
  ['a workflow by name', root('').replace('[{ step: start }]', '{ start: { tool: { kind: noop } } }'), 'NOETL_TYPE'],
  [
    'too many steps',
    root('').replace('[{', `[${Array.from({ length: 1_000 }, (_, i) => `{ step: s${i} }`).join()}, {`),
    'NOETL_LIMIT',
  ],
  ['too many tasks', step(`tool: [${Array.from({ length: 201 }, () => '{ kind: noop }').join()}]`), 'NOETL_LIMIT'],
  ['an unknown key at the root', root('steps: []'), 'NOETL_KEY_UNKNOWN'],
  ['vars at the root', root('vars: {}'), 'NOETL_LEGACY'],
  ['a workload that is a list', root('workload: []'), 'NOETL_TYPE'],
  ['metadata without a name', root('').replace('name: test', 'path: a'), 'NOETL_REQUIRED'],
  ['an empty name', root('').replace('name: test', 'name: ""'), 'NOETL_TYPE'],
  ['an unknown key of metadata', root('').replace('name: test', 'name: test, owner: me'), 'NOETL_KEY_UNKNOWN'],
  ['a label that is a list', root('').replace('name: test', 'name: test, labels: { a: [] }'), 'NOETL_TYPE'],
  ['tags that are text', root('').replace('name: test', 'name: test, tags: daily'), 'NOETL_TYPE'],
  ['an unknown profile', root('executor: { profile: remote }'), 'NOETL_VALUE'],
  ['another runtime', root('executor: { version: noetl-runtime/1 }'), 'NOETL_VALUE'],
  ['an unknown key of the executor', root('executor: { pool: a }'), 'NOETL_KEY_UNKNOWN'],
  ['an unknown key of its spec', root('executor: { spec: { join: all } }'), 'NOETL_KEY_UNKNOWN'],
  ['a layer for no kind', root('executor: { spec: { ftp: {} } }'), 'NOETL_KEY_UNKNOWN'],
  ['a layer of a kind with an unknown key', root('executor: { spec: { http: { retries: 1 } } }'), 'NOETL_KEY_UNKNOWN'],
  ['a limit of nothing', root('executor: { spec: { limits: { memory: 0 } } }'), 'NOETL_VALUE'],
  ['an unknown limit', root('executor: { spec: { limits: { disk: 1 } } }'), 'NOETL_KEY_UNKNOWN'],
  ['a timeout of nothing', root('executor: { spec: { timeout: 0 } }'), 'NOETL_VALUE'],
  ['an unknown part of a timeout', root('executor: { spec: { timeout: { write: 1 } } }'), 'NOETL_KEY_UNKNOWN'],
  ['a store of no kind', root('executor: { spec: { result: { store: { bucket: b } } } }'), 'NOETL_REQUIRED'],
  ['a store of an unknown kind', root('executor: { spec: { result: { store: { kind: s3 } } } }'), 'NOETL_VALUE'],
  ['a store by template', root('executor: { spec: { result: { store: "{{ workload.s }}" } } }'), 'NOETL_VALUE'],
  ['a keychain that is a mapping', root('keychain: { a: { kind: bearer, token: t } }'), 'NOETL_TYPE'],
  ['an unknown kind of credential', root('keychain: [{ name: a, kind: kerberos }]'), 'NOETL_VALUE'],
  ['a credential without a name', root('keychain: [{ kind: bearer, token: t }]'), 'NOETL_REQUIRED'],
  ['a credential without a required field', root('keychain: [{ name: a, kind: bearer }]'), 'NOETL_TASK_FIELD'],
  [
    'a field of another kind of credential',
    root('keychain: [{ name: a, kind: bearer, token: t, key: k }]'),
    'NOETL_KEY_UNKNOWN',
  ],
  ['an unknown provider', root('keychain: [{ name: a, kind: secret_manager, provider: vaults }]'), 'NOETL_VALUE'],
  ['a step without a name', root('').replace('{ step: start }', '{ step: start }, { desc: a }'), 'NOETL_REQUIRED'],
  ['an unknown key of a step', step('tools: []'), 'NOETL_KEY_UNKNOWN'],
  ['an older key of a step: when', step('when: true, tool: { kind: noop }'), 'NOETL_LEGACY'],
  ['an older key of a step: case', step('case: [], tool: { kind: noop }'), 'NOETL_LEGACY'],
  ['an older key of a spec: next_mode', step('spec: { next_mode: inclusive }'), 'NOETL_LEGACY'],
  ['outcome rules of a step', step('spec: { policy: { rules: [] } }'), 'NOETL_DIRECTIVE_MISPLACED'],
  ['a join of no token', step('spec: { join: 0 }'), 'NOETL_VALUE'],
  ['a join of some', step('spec: { join: some }'), 'NOETL_VALUE'],
  ['admission without rules', step('spec: { policy: { admit: {} } }'), 'NOETL_REQUIRED'],
  [
    'admission that does something',
    step('spec: { policy: { admit: { rules: [{ else: { then: { allow: true, do: skip } } }] } } }'),
    'NOETL_DIRECTIVE_MISPLACED',
  ],
  [
    'admission that is no boolean',
    step('spec: { policy: { admit: { rules: [{ else: { then: { allow: maybe } } }] } } }'),
    'NOETL_TYPE',
  ],
  ['a loop without items', step('loop: { iterator: x }, tool: { kind: noop }'), 'NOETL_REQUIRED'],
  ['a loop without an iterator', step('loop: { in: [] }, tool: { kind: noop }'), 'NOETL_REQUIRED'],
  ['a loop without a tool', step('loop: { in: [], iterator: x }, next: { arcs: [] }'), 'NOETL_REQUIRED'],
  [
    'an iterator that no template can read',
    step('loop: { in: [], iterator: a-b }, tool: { kind: noop }'),
    'NOETL_VALUE',
  ],
  ['an iterator that exists already', step('loop: { in: [], iterator: index }, tool: { kind: noop }'), 'NOETL_VALUE'],
  [
    'a mode beside the spec of a loop',
    step('loop: { in: [], iterator: x, mode: parallel }, tool: { kind: noop }'),
    'NOETL_LEGACY',
  ],
  [
    'an unknown mode of a loop',
    step('loop: { in: [], iterator: x, spec: { mode: async } }, tool: { kind: noop }'),
    'NOETL_VALUE',
  ],
  [
    'no iteration in flight',
    step('loop: { in: [], iterator: x, spec: { max_in_flight: 0 } }, tool: { kind: noop }'),
    'NOETL_VALUE',
  ],
  [
    'iterations in flight by template',
    step('loop: { in: [], iterator: x, spec: { max_in_flight: "{{ 2 }}" } }, tool: { kind: noop }'),
    'NOETL_VALUE',
  ],
  [
    'an unknown policy of a loop',
    step('loop: { in: [], iterator: x, spec: { policy: { retry: 1 } } }, tool: { kind: noop }'),
    'NOETL_KEY_UNKNOWN',
  ],
  [
    'a wrong loop in a loop',
    step('loop: { in: [], iterator: x, loop: { in: [] } }, tool: { kind: noop }'),
    'NOETL_REQUIRED',
  ],
  ['next by name', step('next: end'), 'NOETL_NEXT_SHAPE'],
  ['next as a list', step('next: [{ step: end }]'), 'NOETL_NEXT_SHAPE'],
  ['next without arcs', step('next: { spec: { mode: exclusive } }'), 'NOETL_REQUIRED'],
  ['an unknown mode of a router', step('next: { spec: { mode: any }, arcs: [] }'), 'NOETL_VALUE'],
  ['a policy of a router', step('next: { spec: { policy: { a: 1 } }, arcs: [] }'), 'NOETL_KEY_UNKNOWN'],
  ['an arc without a step', step('next: { arcs: [{ when: true }] }'), 'NOETL_REQUIRED'],
  ['an arc by name', step('next: { arcs: [end] }'), 'NOETL_TYPE'],
  ['an arc that sets', step('next: { arcs: [{ step: end, set: {} }] }'), 'NOETL_LEGACY'],
  ['an arc with args that are a list', step('next: { arcs: [{ step: end, args: [] }] }'), 'NOETL_TYPE'],
  ['a condition without braces', step('next: { arcs: [{ step: end, when: "a == 1" }] }'), 'NOETL_WHEN_SHAPE'],
  [
    'a condition of two templates',
    step('next: { arcs: [{ step: end, when: "{{ a }} and {{ b }}" }] }'),
    'NOETL_WHEN_SHAPE',
  ],
  [
    'a condition of a template and text',
    step('next: { arcs: [{ step: end, when: "{{ ctx }} == 1" }] }'),
    'NOETL_WHEN_SHAPE',
  ],
  [
    'a condition by statements',
    step('next: { arcs: [{ step: end, when: "{% if true %}{{ 1 }}{% endif %}" }] }'),
    'NOETL_WHEN_SHAPE',
  ],
  ['a condition that is a number', step('next: { arcs: [{ step: end, when: 1 }] }'), 'NOETL_WHEN_SHAPE'],
  ['a tool by name', step('tool: http'), 'NOETL_TYPE'],
  ['an empty pipeline', step('tool: []'), 'NOETL_TYPE'],
  ['a task without a kind', task('url: x, method: GET'), 'NOETL_REQUIRED'],
  ['a label without a task', task('first: http'), 'NOETL_TYPE'],
  ['a labelled task without a kind', step('tool: [{ first: { url: x } }]'), 'NOETL_REQUIRED'],
  ['an unknown kind', task('kind: htp, url: x'), 'NOETL_TASK_KIND_UNKNOWN'],
  ['a name beside a label', step('tool: [{ first: { kind: noop, name: second } }]'), 'NOETL_KEY_UNKNOWN'],
  ['an unknown field', task('kind: http, url: x, verb: GET'), 'NOETL_KEY_UNKNOWN'],
  ['a field of another kind', task('kind: http, url: x, code: y'), 'NOETL_KEY_UNKNOWN'],
  ['an older key of a task', task('kind: noop, with: {}'), 'NOETL_LEGACY'],
  ['a policy beside spec', task('kind: noop, policy: { rules: [] }'), 'NOETL_KEY_UNKNOWN'],
  ['no required field', task('kind: http'), 'NOETL_TASK_FIELD'],
  ['none of a group', task('kind: python'), 'NOETL_TASK_FIELD'],
  ['two of a group', task('kind: python, code: a, file: b'), 'NOETL_TASK_FIELD'],
  ['half of a pair', task('kind: postgres, table: t'), 'NOETL_TASK_FIELD'],
  ['an unknown word', task('kind: http, url: x, response_type: xml'), 'NOETL_VALUE'],
  ['a list in place of text', task('kind: http, url: []'), 'NOETL_TYPE'],
  ['text in place of a mapping', task('kind: http, url: x, headers: none'), 'NOETL_TYPE'],
  ['text in place of a number', task('kind: wait, for: delay, seconds: long'), 'NOETL_TYPE'],
  ['a fraction in place of an integer', task('kind: quantum, circuit: c, shots: 1.5'), 'NOETL_TYPE'],
  ['a boolean in a list of texts', task('kind: shell, cmds: [true]'), 'NOETL_TYPE'],
  ['args that are a list', task('kind: noop, args: []'), 'NOETL_TYPE'],
  ['auth that is a number', task('kind: noop, auth: 5'), 'NOETL_TYPE'],
  ['auth that is a boolean', task('kind: noop, auth: true'), 'NOETL_TYPE'],
  ['auth that is a list', task('kind: noop, auth: [a]'), 'NOETL_TYPE'],
  ['auth that is empty', task('kind: noop, auth:'), 'NOETL_TYPE'],
  ['auth that is empty text', task('kind: noop, auth: ""'), 'NOETL_TYPE'],
  [
    'a policy that is a list',
    task('kind: noop, spec: { policy: [{ else: { then: { do: fail } } }] }'),
    'NOETL_POLICY_SHAPE',
  ],
  ['a policy without a rule', task('kind: noop, spec: { policy: { rules: [] } }'), 'NOETL_POLICY_SHAPE'],
  [
    'an unknown key of a policy',
    task('kind: noop, spec: { policy: { rules: [{ else: { then: { do: fail } } }], retry: 1 } }'),
    'NOETL_KEY_UNKNOWN',
  ],
  ['a rule without then', rule('when: true'), 'NOETL_DIRECTIVE_MISSING'],
  ['a rule without when', rule('then: { do: fail }'), 'NOETL_POLICY_SHAPE'],
  ['a rule with when and else', rule('when: true, else: { then: { do: fail } }'), 'NOETL_POLICY_SHAPE'],
  ['an else without then', rule('else: {}'), 'NOETL_DIRECTIVE_MISSING'],
  ['an else that is a word', rule('else: fail, then: { do: fail }'), 'NOETL_POLICY_SHAPE'],
  ['a rule with expr', rule('expr: "{{ true }}", else: { then: { do: fail } }'), 'NOETL_LEGACY'],
  ['a then without do', directive('set_ctx: { a: 1 }'), 'NOETL_DIRECTIVE_MISSING'],
  ['a do beside then', rule('when: true, do: fail, then: { do: fail }'), 'NOETL_DIRECTIVE_MISPLACED'],
  ['an unknown directive', directive('do: stop'), 'NOETL_VALUE'],
  ['an unknown key of then', directive('do: continue, log: true'), 'NOETL_KEY_UNKNOWN'],
  ['an older key of then', directive('do: continue, set_vars: {}'), 'NOETL_LEGACY'],
  ['no attempt', directive('do: retry, attempts: 0'), 'NOETL_VALUE'],
  ['a delay below 0', directive('do: retry, delay: -1'), 'NOETL_VALUE'],
  ['an unknown backoff', directive('do: retry, backoff: random'), 'NOETL_VALUE'],
  ['attempts without a retry', directive('do: fail, attempts: 2'), 'NOETL_KEY_UNKNOWN'],
  ['a target without a jump', directive('do: break, to: task_1'), 'NOETL_KEY_UNKNOWN'],
  ['a jump without a target', directive('do: jump'), 'NOETL_REQUIRED'],
  ['a patch by template', directive('do: continue, set_ctx: "{{ outcome }}"'), 'NOETL_TYPE'],
  [
    'a shared write without a reducer',
    loopDirective('do: continue, set_shared: { a: { value: 1 } }'),
    'NOETL_REQUIRED',
  ],
  ['an unknown reducer', loopDirective('do: continue, set_shared: { a: { reduce: avg, value: 1 } }'), 'NOETL_VALUE'],
  ['a sum of nothing', loopDirective('do: continue, set_shared: { a: { reduce: sum } }'), 'NOETL_REQUIRED'],
  ['a shared write by value', loopDirective('do: continue, set_shared: { a: 1 }'), 'NOETL_TYPE'],
  ['a workbook with a wrong task', root('workbook: { a: { kind: http } }'), 'NOETL_TASK_FIELD'],
];

/** Rules that need two places of the document, or the language of templates; a schema sees one place at a time. */
const onlyTheReader: readonly (readonly [what: string, document: string, code: DiagnosticCode])[] = [
  ['the entry exists', root('').replace('step: start', 'step: first'), 'NOETL_ENTRY_MISSING'],
  ['the named entry exists', root('executor: { spec: { entry_step: begin } }'), 'NOETL_ARC_TARGET_UNKNOWN'],
  [
    'step names are unique',
    root('').replace('{ step: start }', '{ step: start }, { step: start }'),
    'NOETL_STEP_DUPLICATE',
  ],
  ['arcs go to steps', step('next: { arcs: [{ step: finish }] }'), 'NOETL_ARC_TARGET_UNKNOWN'],
  ['labels are unique', step('tool: [{ a: { kind: noop } }, { a: { kind: noop } }]'), 'NOETL_LABEL_DUPLICATE'],
  ['jumps go to labels', directive('do: jump, to: fetch'), 'NOETL_JUMP_TARGET_UNKNOWN'],
  ['set_iter is for loops', directive('do: continue, set_iter: {}'), 'NOETL_SET_ITER_MISPLACED'],
  ['set_shared is for loops', directive('do: continue, set_shared: {}'), 'NOETL_SET_SHARED_MISPLACED'],
  [
    'else is last',
    task(
      'kind: noop, spec: { policy: { rules: [{ else: , then: { do: fail } }, { when: true, then: { do: fail } }] } }',
    ),
    'NOETL_POLICY_SHAPE',
  ],
  [
    'keychain names are unique',
    root('keychain: [{ name: a, kind: bearer, token: t }, { name: a, kind: credential }]'),
    'NOETL_VALUE',
  ],
  ['templates can be read', task('kind: noop, result: "{{ 1 + }}"'), 'NOETL_TEMPLATE_SYNTAX'],
  ['filters exist', task('kind: noop, result: "{{ 1 | nope }}"'), 'NOETL_TEMPLATE_NAME'],
  ['names are read where they exist', task('kind: noop, result: "{{ outcome.status }}"'), 'NOETL_NAME_MISPLACED'],
];

describe('the schema and the reader agree (DOC-12)', () => {
  it.each(valid)('to accept: %s', (_, document) => {
    expect(readerErrors(document)).toEqual([]);
    expect(schemaErrors(parsed(document))).toEqual([]);
  });

  it.each(invalid)('to reject: %s', (_, document, code) => {
    expect(readerErrors(document)).toEqual([code]);
    expect(schemaErrors(parsed(document))).not.toEqual([]);
  });

  it.each(onlyTheReader)('but only the reader knows whether %s', (_, document, code) => {
    expect(readerErrors(document)).toContain(code);
    expect(schemaErrors(parsed(document))).toEqual([]);
  });

  it.each(Object.values(KIND_SCHEMAS).map(({ kind, example }) => [kind, example]))(
    'to accept the example of the kind %s in each form, and to reject an unknown field of it',
    (_, example) => {
      const body = JSON.stringify(parsed(example)).slice(1, -1);
      for (const document of [
        task(body),
        step(`tool: [{ first: { ${body} } }]`),
        root(`workbook: { a: { ${body} } }`),
      ]) {
        expect(schemaErrors(parsed(document))).toEqual([]);
      }
      const wrong = task(`${body}, unknown_field: 1`);
      expect(readerErrors(wrong)).toContain('NOETL_KEY_UNKNOWN');
      expect(schemaErrors(parsed(wrong))).not.toEqual([]);
    },
  );

  it.each(Object.entries(KEYCHAIN_SCHEMAS))('to accept a full entry of the kind %s of the keychain', (kind, schema) => {
    const fields = Object.fromEntries(
      Object.entries(schema.fields)
        // Of fields that exclude each other the first is given.
        .filter(([name]) => !schema.groups?.atMostOne?.some((group) => group.includes(name) && group[0] !== name))
        .map(([name, { type }]) => [name, type === 'map' ? {} : '{{ workload.x }}']),
    );
    const document = root(`workload: { x: 1 }\nkeychain: [${JSON.stringify({ name: 'a', kind, ...fields })}]`);
    expect(readerErrors(document)).toEqual([]);
    expect(schemaErrors(parsed(document))).toEqual([]);
  });
});
