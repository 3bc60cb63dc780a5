/**
 * The keys and words of a playbook, place by place. The reader accepts exactly these, and the JSON Schema must describe
 * each of them to compile.
 */

export const API_VERSION = 'noetl.io/v2';
export const DOCUMENT_KIND = 'Playbook';
export const RUNTIME_VERSION = 'noetl-runtime/2';

export const ROOT_KEYS = [
  'apiVersion',
  'kind',
  'metadata',
  'keychain',
  'executor',
  'workload',
  'workflow',
  'workbook',
] as const;
export const METADATA_KEYS = ['name', 'path', 'version', 'description', 'labels', 'tags'] as const;
export const EXECUTOR_KEYS = ['profile', 'version', 'spec'] as const;
export const EXECUTOR_SPEC_KEYS = ['entry_step', 'result_step', 'execution_timeout', 'step_timeout'] as const;
/** Where a loop's iterations run. */
export const PROFILES = ['local', 'distributed'] as const;

export const STEP_KEYS = ['step', 'desc', 'spec', 'loop', 'tool', 'next'] as const;
export const STEP_SPEC_KEYS = ['policy', 'join', 'pool', 'step_timeout'] as const;
export const STEP_POLICY_KEYS = ['admit'] as const;
export const ADMISSION_KEYS = ['rules'] as const;
export const ADMISSION_THEN_KEYS = ['allow'] as const;

export const LOOP_KEYS = ['in', 'iterator', 'spec', 'loop'] as const;
export const LOOP_SPEC_KEYS = ['mode', 'max_in_flight', 'policy'] as const;
export const LOOP_POLICY_KEYS = ['exec', 'failure'] as const;
export const LOOP_MODES = ['sequential', 'parallel'] as const;
export const LOOP_FAILURES = ['fail_fast', 'best_effort'] as const;
export const DEFAULT_IN_FLIGHT = 10;
export const ITERATOR_NAME = /^[\p{ID_Start}_]\p{ID_Continue}*$/u;
/** Names the iteration scope has by itself (ENG-8). */
export const RESERVED_ITERATORS: readonly string[] = ['index', 'parent', '_index', '_first', '_last', '_total'];

export const ROUTER_KEYS = ['spec', 'arcs'] as const;
export const ROUTER_SPEC_KEYS = ['mode', 'on_failure', 'policy'] as const;
export const ROUTER_MODES = ['exclusive', 'inclusive'] as const;
export const ROUTER_FAILURES = ['event', 'all'] as const;
export const ARC_KEYS = ['step', 'when', 'args', 'spec'] as const;

/** Keys of every task, whatever its kind. */
export const TASK_KEYS = ['kind', 'desc', 'auth', 'args', 'spec'] as const;
export const TASK_SPEC_KEYS = ['policy'] as const;
/** For these kinds `name` is a field of the tool, not a label. */
export const KINDS_WITH_OWN_NAME: readonly string[] = ['workbook', 'wait'];

export const POLICY_KEYS = ['rules'] as const;
export const RULE_KEYS = ['when', 'then', 'else'] as const;
export const THEN_KEYS = [
  'do',
  'attempts',
  'backoff',
  'delay',
  'max_delay',
  'to',
  'set_iter',
  'set_ctx',
  'set_shared',
] as const;
/** Keys of `then` that mean something for `do: retry` only. */
export const RETRY_KEYS = ['attempts', 'backoff', 'delay', 'max_delay'] as const;
export const SHARED_WRITE_KEYS = ['reduce', 'value'] as const;
export const DIRECTIVES = ['continue', 'retry', 'jump', 'break', 'fail', 'skip'] as const;
export const BACKOFFS = ['none', 'linear', 'exponential'] as const;
export const REDUCERS = ['sum', 'min', 'max', 'count', 'append', 'union', 'merge'] as const;
/** ENG-10. */
export const DEFAULT_ATTEMPTS = 3;
export const DEFAULT_DELAY = 1;

/** Keys of spec that every scope knows and inner scopes inherit (DOC-14). */
export const INHERITED_SPEC_KEYS = ['timeout', 'limits', 'result'] as const;
export const TIMEOUT_KEYS = ['connect', 'read'] as const;
/** What code may use: MiB of memory, seconds of CPU time. */
export const LIMIT_KEYS = ['memory', 'cpu'] as const;
export const RESULT_KEYS = ['store'] as const;
/** Where large results are kept (RES-1). */
export const STORES = ['file', 'postgres', 'nats_object', 'gcs'] as const;
/** What a place in a store may be called, and how that is said. Tables are called as PostgreSQL does without quotes. */
export const STORE_PLACES = {
  bucket: { pattern: '^[A-Za-z0-9_-]{1,63}$', expected: 'a name of letters, digits, - and _' },
  table: {
    pattern: '^[a-z_][a-z0-9_]{0,62}(?:\\.[a-z_][a-z0-9_]{0,62})?$',
    expected: 'table or schema.table, of lower-case letters, digits and _',
  },
  prefix: { pattern: '^[A-Za-z0-9_./-]{1,200}$', expected: 'letters, digits and _ . / -' },
} as const;
/** What each kind of store can be told beside its kind. */
export const STORE_FIELDS: Readonly<Record<(typeof STORES)[number], readonly (keyof typeof STORE_PLACES)[]>> = {
  file: [],
  postgres: ['table'],
  nats_object: ['bucket'],
  gcs: ['bucket', 'prefix'],
};
