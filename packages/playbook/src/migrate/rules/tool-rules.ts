import type { Rule } from './rule.ts';

/** The work of a step: kinds, fields and values. */
export const TOOL_RULES = {
  'step-twice': {
    dialects: ['case-003', 'eval-002'],
    old: '(two steps are named end)',
    new: 'step: end_before_1',
    why: 'Of steps with the same name, the last one ran.',
  },
  'tool-kind': {
    dialects: ['tool-string', 'v1-004'],
    old: 'tool: python, code: …',
    new: 'tool: { kind: python, code: … }',
    why: 'The fields of a task stand beside its kind.',
  },
  'tool-spec': {
    dialects: ['eval-002', 'public-names'],
    old: 'tool: { kind: python, spec: { code: … } }',
    new: 'tool: { kind: python, code: … }',
    why: 'spec holds what changes how a task runs, not what it does.',
  },
  'tool-none': {
    dialects: ['tool-string', 'v1-004'],
    old: 'tool: end',
    new: '',
    why: 'A step without work needs no tool.',
  },
  'tool-field': {
    dialects: ['public-names', 'case-003', 'v1-004', 'tool-string'],
    old: 'endpoint: …, payload: …, credential: …',
    new: 'url: …, json: …, auth: …',
    why: 'The field has the same meaning under another name.',
  },
  'tool-field-removed': {
    dialects: ['case-003', 'v1-004', 'tool-string'],
    old: 'libs: {}, auth: {}',
    new: '',
    why: 'It was empty, or had no effect.',
  },
  'python-libs': {
    dialects: ['case-003', 'v1-004', 'tool-string'],
    old: 'libs: { json: json }',
    new: 'code: import json …',
    why: 'Code imports what it uses; libs is the folder of a virtualenv.',
  },
  'container-job': {
    dialects: ['public-names', 'case-003', 'tool-string'],
    old: 'runtime: { provider: kubernetes, image: …, activeDeadlineSeconds: 600 }',
    new: 'runtime: kubernetes, image: …, spec: { timeout: 600 }',
    why: 'A container was a job of a cluster.',
  },
  'code-values': {
    dialects: ['public-names', 'case-003', 'v1-004', 'tool-string'],
    old: 'code: n = {{ workload.n }}',
    new: "args: { n_value: '{{ workload.n }}' }, code: n = n_value",
    why: 'Code is never a template: values come with args.',
  },
  'sql-escapes': {
    dialects: ['public-names', 'case-003', 'tool-string'],
    old: `command: INSERT INTO t VALUES ('{{ name | replace("'", "''") }}')`,
    new: `command: INSERT INTO t VALUES ('{{ name }}')`,
    why: 'Values in a statement are bound, not spliced into it: a doubled apostrophe would be stored doubled.',
  },
  'shell-braces': {
    dialects: ['public-names', 'case-003', 'tool-string'],
    old: "cmds: ['docker images --format {{.Tag}}']",
    new: "cmds: ['docker images --format {% raw %}{{.Tag}}{% endraw %}']",
    why: 'Lines are templates; braces that are meant for a program are said to be text.',
  },
  'auth-name': {
    dialects: ['public-names', 'case-003', 'tool-string'],
    old: 'auth: { source: credential, tool: postgres, key: warehouse }',
    new: 'auth: warehouse',
    why: 'A credential is named; the keychain says what it is.',
  },
  'result-store': {
    dialects: ['public-names', 'case-003'],
    old: 'output: { store: { kind: gcs }, output_select: [ … ] }',
    new: 'spec: { result: { store: gcs } }',
    why: 'Large results are kept by reference, and read where a template names them.',
  },
  'tool-script': {
    dialects: ['case-003', 'v1-004', 'tool-string'],
    old: 'script: { uri: ./load.py, source: { type: file } }',
    new: 'file: ./load.py',
    why: 'Code from a file is file.',
  },
  'task-args': {
    dialects: ['public-names', 'case-003', 'v1-004', 'tool-string'],
    old: 'input: { id: 1 }',
    new: 'args: { id: 1 }',
    why: 'Values for the work of a step are args of its task.',
  },
  'task-spec': {
    dialects: ['public-names', 'case-003', 'v1-004', 'tool-string'],
    old: 'timeout: 30',
    new: 'spec: { timeout: 30 }',
    why: 'Knobs and policy live under spec.',
  },
  'python-return': {
    dialects: ['public-names', 'eval-002', 'case-003'],
    old: 'tool: { kind: python, code: return 1 }',
    new: 'tool: { kind: python, code: "def main(): …" }',
    why: 'What a function named main returns is the result; a return stands in a function.',
  },
  'python-names': {
    dialects: ['public-names', 'eval-002', 'case-003', 'tool-string'],
    old: "code: input_data.get('id')",
    new: 'args: { id: … }, code: id',
    why: 'Code is given its args, and nothing else.',
  },
  'return-step': {
    dialects: ['v1-004', 'tool-string', 'case-003'],
    old: 'return_step: summary',
    new: '',
    why: 'The child names its result itself: executor.spec.result_step.',
  },
} as const satisfies Record<string, Rule>;
