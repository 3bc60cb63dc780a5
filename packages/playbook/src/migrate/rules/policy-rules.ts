import type { Rule } from './rule.ts';

/** What is done about the outcome of a task. */
export const POLICY_RULES = {
  'eval-rules': {
    dialects: ['eval-002'],
    old: 'eval: [{ expr: …, do: retry }]',
    new: 'spec: { policy: { rules: [{ when: …, then: { do: retry } }] } }',
    why: 'The only conditional keyword is when, and what follows is then.',
  },
  'error-fails': {
    dialects: ['eval-002', 'case-003', 'v1-004'],
    old: '(no rule matches an error)',
    new: 'rules: [{ when: "{{ outcome.status == \'error\' }}", then: { do: fail } }]',
    why: 'An error that nothing matched failed the step; now a policy that matches nothing goes on.',
  },
  'backoff-fixed': {
    dialects: ['eval-002', 'case-003'],
    old: 'backoff: fixed',
    new: 'backoff: none',
    why: 'Every delay is as long as the first.',
  },
  'retry-rule': {
    dialects: ['case-003', 'v1-004', 'tool-string'],
    old: 'retry: { max_attempts: 3, initial_delay: 1, backoff_multiplier: 2 }',
    new: 'rules: [{ when: …, then: { do: retry, attempts: 3, delay: 1, backoff: exponential } }]',
    why: 'Retries are a rule of the task.',
  },
  'retry-paging': {
    dialects: ['case-003', 'tool-string'],
    old: 'retry: { on_success: { while: …, next_call: { params: … }, collect: { … } } }',
    new: 'rules: [{ when: …, then: { do: jump, to: fetch, set_ctx: { … } } }]',
    why: 'A further page is another visit of the task; what it needs is kept in ctx, in a loop in iter.',
  },
  'set-prev': {
    dialects: ['eval-002'],
    old: "set_prev: '{{ … }}'",
    new: "tool: [{ kind: noop, result: '{{ … }}' }]",
    why: 'A noop task hands on the value.',
  },
  'set-vars': {
    dialects: ['eval-002'],
    old: 'set_vars: { page: 2 }',
    new: 'set_ctx: { page: 2 }',
    why: 'They lived in one run of the step: in a loop they are iter, elsewhere ctx.',
  },
  'step-vars': {
    dialects: ['case-003', 'v1-004'],
    old: "vars: { id: '{{ result.id }}' }",
    new: "then: { do: continue, set_ctx: { id: '{{ outcome.result.id }}' } }",
    why: 'They were kept after success for the whole execution.',
  },
  'set-ctx': {
    dialects: ['public-names', 'case-003'],
    old: 'set: { ctx.page: 2 }',
    new: 'then: { do: continue, set_ctx: { page: 2 } }',
    why: 'Values are kept by the policy of a task.',
  },
  'step-result': {
    dialects: ['v1-004', 'tool-string'],
    old: "result: { count: '{{ result.count }}' }",
    new: "tool: [{ … }, { kind: noop, result: { count: '{{ _prev.count }}' } }]",
    why: 'The result of a step is that of its last task.',
  },
  'sink-task': {
    dialects: ['case-003', 'v1-004'],
    old: 'sink: { tool: { kind: postgres, table: t } }',
    new: 'tool: [{ … }, { sink: { kind: postgres, table: t } }]',
    why: "Storing is a task of its own; skip keeps the step's result.",
  },
} as const satisfies Record<string, Rule>;
