import type { Rule } from './rule.ts';

/** Names in templates. */
export const NAME_RULES = {
  'name-vars': {
    dialects: ['eval-002', 'case-003', 'v1-004'],
    old: '{{ vars.page }}',
    new: '{{ ctx.page }}',
    why: 'What an execution keeps is ctx.',
  },
  'name-outcome': {
    dialects: ['public-names', 'case-003', 'eval-002'],
    old: '{{ output.data }}',
    new: '{{ outcome.result }}',
    why: 'What a task came to is its outcome.',
  },
  'name-status': {
    dialects: ['eval-002', 'public-names', 'case-003'],
    old: "{{ outcome.status == 'success' }}",
    new: "{{ outcome.status == 'ok' }}",
    why: 'An outcome is ok or an error.',
  },
  'name-result': {
    dialects: ['case-003', 'v1-004', 'tool-string'],
    old: '{{ response.id }}',
    new: '{{ results.fetch.id }}',
    why: "The result of a step is read by the step's name.",
  },
  'name-prev': {
    dialects: ['case-003', 'v1-004'],
    old: '{{ this.id }}',
    new: '{{ _prev.id }}',
    why: 'In a pipeline the result of the task before is _prev.',
  },
  'name-attempt': {
    dialects: ['case-003', 'v1-004'],
    old: '{{ attempt }}',
    new: '{{ _attempt }}',
    why: 'It counts from 1.',
  },
  'name-loop': {
    dialects: ['case-003', 'v1-004', 'tool-string'],
    old: '{{ loop_index }}',
    new: '{{ iter.index }}',
    why: 'What belongs to one iteration is iter.',
  },
  'name-loop-results': {
    dialects: ['v1-004', 'tool-string', 'case-003'],
    old: '{{ cities_results }}',
    new: '{{ results.cities }}',
    why: 'The result of a loop is that of its step: a list.',
  },
  'name-envelope': {
    dialects: ['case-003', 'v1-004', 'tool-string'],
    old: '{{ fetch.data.id }}',
    new: '{{ results.fetch.id }}',
    why: 'Results have no envelope; their fields are those of the kind of work.',
  },
  'name-args': {
    dialects: ['public-names'],
    old: '{{ input.page }}',
    new: '{{ args.page }}',
    why: 'What a step or task is given is args.',
  },
  'name-step': {
    dialects: ['v1-004'],
    old: '{{ step.name }}',
    new: "{{ 'load' }}",
    why: 'A step is named by its playbook; templates have no name for it.',
  },
  'result-fields': {
    dialects: ['case-003', 'tool-string', 'public-names'],
    old: "args: { answer: '{{ fetch }}' }",
    new: "args: { answer: '{{ dict(results.fetch, status_code=results.fetch.status) }}' }",
    why: 'Code is not rewritten; what it reads of a result under an older name is given to it under that name.',
  },
  'label-kept': {
    dialects: ['public-names', 'eval-002', 'case-003'],
    old: '{{ build.id }}',
    new: '{{ iter.build.id }}',
    why: 'Of the tasks of a pipeline only the one before is at hand (_prev); results of earlier ones are kept, in a loop in iter, else in ctx.',
  },
  'name-http-status': {
    dialects: ['case-003', 'public-names', 'tool-string', 'v1-004'],
    old: "when: '{{ fetch.status_code >= 400 }}'",
    new: 'when: "{{ (event.payload.error.details.status if event.name == \'step.failed\' else results.fetch.status) >= 400 }}"',
    why: 'An answer outside of 2xx was a result and is a failure now, whose status is that of the error.',
  },
  'name-payload': {
    dialects: ['case-003', 'public-names', 'eval-002'],
    old: "workload: { id: '{{ payload.id }}' }",
    new: "workload: { id: '{{ none }}' }",
    why: 'The payload of the request is laid over the workload.',
  },
  'name-error-kind': {
    dialects: ['eval-002', 'public-names'],
    old: "{{ outcome.error.kind == 'rate_limit' }}",
    new: '{{ outcome.http.status == 429 }}',
    why: 'What the status of an answer says is told by the status.',
  },
} as const satisfies Record<string, Rule>;
