import type { Tree } from '../tree/tree.ts';
import { migrateCodeValues } from './code-values.ts';
import { migrateContainer } from './container-task.ts';
import { migrateGoBraces } from './go-braces.ts';
import { migrateHttpBody } from './http-body.ts';
import { migratePythonCode } from './python-code.ts';
import { migratePythonLibs } from './python-libs.ts';
import { migrateScript } from './script-source.ts';
import { migrateSqlEscapes } from './sql-escapes.ts';
import { refused, removed, renamed, type TaskRule, toArgs, toSpec } from './task-rule.ts';
import { migrateTokenHeader } from './token-header.ts';

const is = (value: unknown) => (tree: Tree) => tree.kind === 'scalar' && tree.value === value;

/** What any task may have. */
const EVERY: readonly TaskRule[] = [
  renamed('credential', 'auth'),
  toArgs('input'),
  toArgs('with'),
  toSpec('timeout', 'timeout'),
  toSpec('timeout_seconds', 'timeout'),
  toSpec('policy', 'policy'),
  removed('output_select', { why: 'large results are kept by reference, and read where a template names them' }),
];

const SQL: readonly TaskRule[] = [
  migrateScript,
  renamed('statement', 'command'),
  renamed('sql', 'command'),
  migrateSqlEscapes,
  removed('pool', { why: 'connections are shared by the worker, which sets how many there are', review: true }),
];

/** The older fields of each kind, in the order in which they are rewritten. */
const BY_KIND: Readonly<Record<string, readonly TaskRule[]>> = {
  http: [
    renamed('endpoint', 'url'),
    migrateHttpBody,
    migrateTokenHeader,
    removed('verify_ssl', { why: 'certificates are always verified', when: is(true) }),
    removed('verify_ssl', {
      why: 'certificates are always verified; where one is signed by an authority of your own, start workers with NODE_EXTRA_CA_CERTS',
      review: true,
    }),
  ],
  python: [migrateScript, migratePythonLibs],
  javascript: [migrateScript],
  script: [
    migrateScript,
    refused('job', "'job' runs the script in a Kubernetes job", 'Use the kind container with runtime: kubernetes.'),
  ],
  postgres: SQL,
  snowflake: SQL,
  duckdb: SQL,
  playbook: [
    toArgs('payload'),
    removed('return_step', {
      rule: 'return-step',
      why: 'the child names its result itself, in executor.spec.result_step',
      review: true,
    }),
    removed('task', { why: 'a child starts at its own entry step' }),
  ],
  shell: [
    migrateGoBraces,
    refused(
      'exports',
      "'exports' hands variables of the shell on, which a task does not",
      'Print what later steps need, and read stdout of the result.',
    ),
  ],
  container: [migrateContainer],
};

export const fieldRules = (kind: string): readonly TaskRule[] => [
  ...(Object.hasOwn(BY_KIND, kind) ? (BY_KIND[kind] ?? []) : []),
  ...EVERY,
  ...(kind === 'python' ? [migrateCodeValues, migratePythonCode] : []),
];
