import type { Rule } from './rule.ts';

/** Repetition. */
export const LOOP_RULES = {
  'loop-mode': {
    dialects: ['case-003', 'v1-004', 'tool-string'],
    old: 'loop: { mode: async }',
    new: 'loop: { spec: { mode: parallel } }',
    why: 'The mode of a loop is under its spec; async ran iterations side by side.',
  },
  'loop-key': {
    dialects: ['v1-004', 'tool-string'],
    old: 'loop: { collection: …, element: item }',
    new: 'loop: { in: …, iterator: item }',
    why: 'The same under another name.',
  },
  'loop-limit': {
    dialects: ['case-003', 'v1-004', 'tool-string'],
    old: 'loop: { limit: 10 }',
    new: "loop: { in: '{{ (…)[:10] }}' }",
    why: 'A capped collection has at most that many items.',
  },
  'loop-iterator': {
    dialects: ['case-003', 'tool-string', 'v1-004'],
    old: 'tool: { kind: iterator, collection: …, element: item, task: { … } }',
    new: 'loop: { in: …, iterator: item }, tool: { … }',
    why: 'Repeating is a property of a step, not a kind of work.',
  },
  'loop-body': {
    dialects: ['v1-004'],
    old: 'loop: { in: …, iterator: item }, next: …',
    new: 'loop: { in: …, iterator: item }, tool: [ … ]',
    why: 'What was done for each item up to end_loop is the pipeline of the loop.',
  },
  'end-loop': {
    dialects: ['v1-004'],
    old: 'end_loop: cities, result: { … }',
    new: 'tool: { kind: noop, result: { … } }',
    why: 'A step after the loop reads its results.',
  },
} as const satisfies Record<string, Rule>;
