import type { Rule } from './rule.ts';

/** Which step follows. */
export const ROUTING_RULES = {
  'next-arcs': {
    dialects: ['tool-string', 'case-003', 'v1-004', 'eval-002'],
    old: 'next: load',
    new: 'next: { arcs: [{ step: load }] }',
    why: 'Routing is a list of arcs.',
  },
  'next-parallel': {
    dialects: ['case-003', 'v1-004', 'tool-string'],
    old: 'next: [{ step: a }, { step: b }]',
    new: 'next: { spec: { mode: inclusive }, arcs: [{ step: a }, { step: b }] }',
    why: 'All steps of the list ran side by side.',
  },
  'next-mode': {
    dialects: ['eval-002'],
    old: 'spec: { next_mode: inclusive }',
    new: 'next: { spec: { mode: inclusive } }',
    why: 'The mode belongs to the router.',
  },
  'next-when': {
    dialects: ['v1-004', 'tool-string'],
    old: 'next: [{ when: …, then: [{ step: a }] }, { else: [{ step: b }] }]',
    new: 'next: { arcs: [{ step: a, when: … }, { step: b }] }',
    why: 'The first arc whose condition holds is taken.',
  },
  'next-failure': {
    dialects: ['eval-002'],
    old: 'next: [{ step: a }]',
    new: 'next: { spec: { on_failure: all }, arcs: [{ step: a }] }',
    why: 'An arc without when was taken after failures, too.',
  },
  'next-args': {
    dialects: ['public-names', 'v1-004', 'tool-string'],
    old: 'next: [{ step: a, with: { id: 1 } }]',
    new: 'next: { arcs: [{ step: a, args: { id: 1 } }] }',
    why: 'What an arc carries to its step is args.',
  },
  'condition-text': {
    dialects: ['v1-004', 'case-003', 'tool-string'],
    old: 'when: "{{ workload.action }} == deploy"',
    new: 'when: "{{ workload.action == \'deploy\' }}"',
    why: 'A condition is one expression.',
  },
  'case-arcs': {
    dialects: ['case-003'],
    old: 'case: [{ when: "{{ event.name == \'call.done\' }}", then: { next: [{ step: a }] } }]',
    new: 'next: { arcs: [{ step: a, when: "{{ event.name == \'step.done\' }}" }] }',
    why: 'Where it goes on is routing: conditions are tried top down.',
  },
  'case-rules': {
    dialects: ['case-003'],
    old: 'case: [{ when: …, then: { retry: { … } } }]',
    new: 'spec: { policy: { rules: [{ when: …, then: { do: retry } }] } }',
    why: 'What is done about an outcome is the policy of the task.',
  },
  'case-result': {
    dialects: ['case-003'],
    old: 'case: [{ when: …, then: { result: { from: response.data } } }]',
    new: "tool: [{ … }, { kind: noop, result: '{{ _prev.data }}' }]",
    why: 'The result of a step is that of its last task.',
  },
  'case-event': {
    dialects: ['case-003'],
    old: "event.name == 'step.exit'",
    new: "event.name == 'step.done'",
    why: 'Events are named by what they are now; an exit that nothing matched on failure failed.',
  },
  'error-handed': {
    dialects: ['case-003', 'public-names', 'eval-002'],
    old: '{{ error.status }}',
    new: 'args: { error: "{{ event.payload.error }}" }',
    why: 'A step that only failures lead to is handed the failure by the arcs.',
  },
  'step-when': {
    dialects: ['eval-002'],
    old: "when: '{{ … }}'",
    new: "spec: { policy: { admit: { rules: [{ when: '{{ … }}', then: { allow: true } }] } } }",
    why: 'Whether a step may run is its admission.',
  },
  'join-all': {
    dialects: ['case-003', 'v1-004', 'tool-string'],
    old: '(branches that meet at one step)',
    new: 'spec: { join: all }',
    why: 'A step at which branches met ran once.',
  },
} as const satisfies Record<string, Rule>;
