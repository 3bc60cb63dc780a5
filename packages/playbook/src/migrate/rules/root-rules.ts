import type { Rule } from './rule.ts';

/** What stands at the root of the document. */
export const ROOT_RULES = {
  'api-version': {
    dialects: ['v1-004', 'tool-string'],
    old: 'apiVersion: noetl.io/v1',
    new: 'apiVersion: noetl.io/v2',
    why: 'There is one version of the language.',
  },
  'key-twice': {
    dialects: ['case-003', 'eval-002'],
    old: '{ desc: first, desc: second }',
    new: '{ desc: second }',
    why: 'Of a key that stood twice, the last counted.',
  },
  'kind-missing': {
    dialects: ['v1-004'],
    old: '(no kind)',
    new: 'kind: Playbook',
    why: 'A document says what it is.',
  },
  'root-metadata': {
    dialects: ['v1-004', 'tool-string'],
    old: 'name: report',
    new: 'metadata: { name: report }',
    why: 'name, path, version and description are metadata.',
  },
  'executor-version': {
    dialects: ['public-names', 'eval-002'],
    old: 'executor: { version: noetl-runtime/1 }',
    new: 'executor: { version: noetl-runtime/2 }',
    why: 'This is the runtime that runs it.',
  },
  'entry-step': {
    dialects: ['public-names'],
    old: '(no step is named start)',
    new: 'executor: { spec: { entry_step: run } }',
    why: 'It began with its first step; now the playbook says so.',
  },
  'root-vars': {
    dialects: ['case-003', 'v1-004'],
    old: 'vars: { page: 1 }',
    new: 'set_ctx: { page: 1 }',
    why: 'They are values of the execution: a first noop task puts them into ctx.',
  },
  'root-removed': {
    dialects: ['public-names', 'case-003', 'v1-004'],
    old: 'tracing: { … }',
    new: '',
    why: 'What the runtime records does not depend on the playbook.',
  },
  'keychain-key': {
    dialects: ['case-003', 'eval-002', 'public-names'],
    old: 'keychain: [{ name: api, ref: api_token }]',
    new: 'keychain: [{ name: api, credential: api_token }]',
    why: 'Each kind of entry has fields of its own.',
  },
  'credential-declared': {
    dialects: ['public-names', 'eval-002', 'case-003', 'v1-004', 'tool-string'],
    old: "tool: { kind: postgres, auth: '{{ workload.pg_auth }}' }",
    new: "keychain: [{ name: pg_auth, kind: postgres_credential, credential: '{{ workload.pg_auth }}' }]",
    why: 'Tasks use what the keychain declares: then a request that lacks a credential is refused before anything runs.',
  },
  'workbook-args': {
    dialects: ['case-003', 'tool-string', 'public-names'],
    old: 'workbook: [{ name: add, tool: { args: { n: null } } }]',
    new: "workbook: [{ name: add, args: { n: '{{ args.n }}' } }]",
    why: "A task's own args lie over those of a call; one without a value named what calls give.",
  },
  'workbook-list': {
    dialects: ['case-003', 'v1-004'],
    old: 'workbook: [{ name: add, tool: { … } }]',
    new: 'workbook: { add: { kind: … } }',
    why: 'Tasks of the workbook go by name.',
  },
} as const satisfies Record<string, Rule>;
