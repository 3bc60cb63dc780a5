import { KIND_SCHEMAS } from '../kinds/kinds.ts';
import { TASK_KEYS } from '../model/vocabulary.ts';
import type { Replacements } from './reading.ts';

const MIGRATE = 'noetl migrate rewrites it, --legacy takes it as it is.';

/** What an older dialect wrote here is refused, and this is how it is written now (DOC-5). */
export const older = (hint: string) => ({ code: 'NOETL_LEGACY', hint: `${hint}; ${MIGRATE}` }) as const;

const ONLY_WHEN = older("The only conditional keyword is 'when'");

/** Every field of every kind: older dialects had them elsewhere. */
const FIELDS = [...new Set(Object.values(KIND_SCHEMAS).flatMap(({ fields }) => Object.keys(fields)))];

const fieldsAre = (hint: (field: string) => string): Replacements =>
  Object.fromEntries([...TASK_KEYS, ...FIELDS].map((field) => [field, older(hint(field))]));

const IN_METADATA = older('It belongs into metadata');

export const OLDER_ROOT_KEYS: Replacements = {
  name: IN_METADATA,
  path: IN_METADATA,
  version: IN_METADATA,
  description: IN_METADATA,
  vars: older('Defaults are workload, values of the run are ctx (set_ctx)'),
};

export const OLDER_STEP_KEYS: Replacements = {
  ...fieldsAre((field) => `'${field}' belongs to the task: tool: { kind: …, ${field}: … }`),
  name: older('The name of a step is step'),
  when: older('Admission is spec.policy.admit.rules'),
  case: older('Outcomes are handled by spec.policy.rules of the task, routing by next.arcs'),
  retry: older('Retries are a rule of the task: spec.policy.rules with do: retry'),
  sink: older('Storing is a task of its own at the end of the pipeline'),
  vars: older('Values are kept with set_ctx in the policy of a task'),
  eval: older('Outcomes are handled by spec.policy.rules of the task'),
  expr: ONLY_WHEN,
  pipe: older('The pipeline is the list under tool'),
  args: older('Values come from the arc (next.arcs[].args) or the task (args)'),
  end_loop: older('A step after the loop reads its result; join with spec.join'),
  input: older('Values come from the arc (next.arcs[].args) or the task (args)'),
  output: older('Values are kept with set_ctx in the policy of a task'),
  set: older('Values are kept with set_ctx in the policy of a task'),
  set_ctx: older('set_ctx belongs into the policy of a task'),
  result: older("A step's result is that of its last task"),
  type: older('The kind of work is tool.kind'),
  with: older('Values are passed with args'),
};

export const OLDER_TASK_KEYS: Replacements = {
  input: older('Pass values with args'),
  output: older("Read outcome.result in the task's policy"),
  set: older('Use spec.policy.rules with set_ctx'),
  eval: older('Use spec.policy.rules with when and then'),
  expr: ONLY_WHEN,
  retry: older('Use a rule with do: retry'),
  sink: older('Store with a task of its own'),
  with: older('Pass values with args'),
  payload: older('A body is json, form or body; the payload of a playbook is args'),
  data: older('A body is json, form or body'),
  endpoint: older('The address is url'),
  script: older('Code from a file is file'),
  credential: older('The credential is named by auth'),
  return_step: older('The child names its result itself: executor.spec.result_step'),
  timeout: { code: 'NOETL_KEY_UNKNOWN', hint: 'Knobs live under spec: spec.timeout.' },
  policy: { code: 'NOETL_KEY_UNKNOWN', hint: 'It belongs under spec: spec.policy.' },
};

export const OLDER_SPEC_KEYS: Replacements = { next_mode: older('The mode of routing is next.spec.mode') };

export const OLDER_TASK_SPEC_KEYS: Replacements = {
  ...OLDER_SPEC_KEYS,
  ...fieldsAre((field) => `'${field}' stands beside kind, not under spec`),
};

export const OLDER_LOOP_KEYS: Replacements = {
  mode: older('The mode is loop.spec.mode'),
  element: older('It is called iterator'),
  collection: older('It is called in'),
};

export const OLDER_RULE_KEYS: Replacements = { expr: ONLY_WHEN };

export const OLDER_THEN_KEYS: Replacements = {
  set: older('Use set_ctx or set_iter'),
  set_vars: older('Use set_ctx'),
  set_prev: older('Add a noop task with the result you want'),
};

export const OLDER_ARC_KEYS: Replacements = { set: older('Values for the target are args'), expr: ONLY_WHEN };

/** What keychain entries had before each kind had fields of its own. */
export const OLDER_KEYCHAIN_KEYS: Replacements = {
  type: older('The kind of an entry is kind'),
  ref: older('The name in the credential store is credential'),
  scope: older('Entries belong to their execution'),
  auth: older('How a secret manager is reached is set up with the installation'),
  auto_renew: older('Tokens are renewed before they expire'),
  endpoint: older('Where tokens are issued is token_url'),
  method: older('Tokens are asked for with POST'),
  headers: older('Tokens are asked for as the standard says'),
  data: older('What is sent is client_id, client_secret, scope and audience'),
};
