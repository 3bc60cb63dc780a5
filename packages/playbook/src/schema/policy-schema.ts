import {
  ADMISSION_KEYS,
  ADMISSION_THEN_KEYS,
  BACKOFFS,
  DEFAULT_ATTEMPTS,
  DEFAULT_DELAY,
  DIRECTIVES,
  POLICY_KEYS,
  REDUCERS,
  RETRY_KEYS,
  RULE_KEYS,
  SHARED_WRITE_KEYS,
  THEN_KEYS,
} from '../model/vocabulary.ts';
import { closed, orTemplate, ref, type Schema, seconds, text, whenKey, without, word } from './building-blocks.ts';

/**
 * DOC-15: a boolean, or one `{{ … }}`. Texts inside of the template may hold braces; outside of them no second template
 * may start.
 */
const ONE_TEMPLATE = /^\s*\{\{(?:"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\{(?![{%#])|[^"'{])*\}\}\s*$/u.source;

export const condition = (description: string, example: string): Schema => ({
  description,
  type: ['boolean', 'string'],
  pattern: ONE_TEMPLATE,
  patternErrorMessage: 'Expected true, false, or text that is exactly one {{ }}.',
  examples: [example],
});

/** Rules, top-down: `{when, then}`, `{else: {then}}` or `else` beside `then`. */
function rulesSchema(then: string, description: string, examples: readonly Schema[]): Schema {
  return {
    title: 'Rules',
    description,
    type: 'array',
    minItems: 1,
    items: closed(
      RULE_KEYS,
      {
        when: condition('The rule matches if this is true.', '{{ ctx.total > 0 }}'),
        then: ref(then),
        else: {
          title: 'Else',
          description: 'Matches whatever no rule before it matched; it is the last rule.',
          anyOf: [
            { type: 'object', properties: { then: ref(then) }, additionalProperties: false },
            { type: ['null', 'boolean'], enum: [null, true] },
          ],
        },
      },
      {
        title: 'Rule',
        description: 'When and then, or else.',
        if: { required: ['else'] },
        then: {
          ...without(['when']),
          if: { properties: { else: { type: 'object', required: ['then'] } } },
          then: without(['then']),
          else: { required: ['then'] },
        },
        else: { required: ['when', 'then'] },
      },
    ),
    examples: [examples],
  };
}

export const policyDefinitions = (): Readonly<Record<string, Schema>> => ({
  policy: closed(
    POLICY_KEYS,
    {
      rules: rulesSchema('then', 'Tried top-down after each attempt; the first that matches decides.', [
        { when: "{{ outcome.status == 'error' }}", then: { do: 'retry', attempts: 3, backoff: 'exponential' } },
        { else: { then: { do: 'continue' } } },
      ]),
    },
    {
      title: 'Policy of a task',
      description: 'What to do with an outcome. Without a policy success continues and an error fails.',
      required: ['rules'],
    },
  ),
  admission: closed(
    ADMISSION_KEYS,
    {
      rules: rulesSchema('admission-then', 'Tried top-down; the first that matches decides, none allows.', [
        { when: '{{ workload.enabled }}', then: { allow: true } },
        { else: { then: { allow: false } } },
      ]),
    },
    {
      title: 'Admission',
      description: 'Whether a token may run the step. A denied token is consumed, and step.skipped says why.',
      required: ['rules'],
    },
  ),
  'admission-then': closed(
    ADMISSION_THEN_KEYS,
    { allow: { description: 'Whether the step runs.', type: 'boolean' } },
    { title: 'Then', description: 'The decision of the rule.', required: ['allow'] },
  ),
  then: thenSchema(),
});

function thenSchema(): Schema {
  return closed(
    THEN_KEYS,
    {
      do: word(
        DIRECTIVES,
        {
          continue: 'Go on with the next task.',
          retry: 'Try the task again.',
          jump: 'Go on with the task that `to` names.',
          break: 'End the pipeline (in a loop: the iteration) successfully.',
          fail: 'Fail the pipeline (in a loop: the iteration).',
          skip: 'Treat the task as successful and keep the previous result.',
        },
        'The directive.',
      ),
      attempts: {
        description: 'How many tries in all, the first included.',
        type: 'integer',
        minimum: 1,
        default: DEFAULT_ATTEMPTS,
      },
      backoff: word(
        BACKOFFS,
        {
          none: 'Always `delay`.',
          linear: '`delay` times the number of the try.',
          exponential: '`delay`, doubled with each try.',
        },
        'How the delay grows.',
        { default: 'none' },
      ),
      delay: orTemplate(
        { type: 'number', minimum: 0 },
        { description: 'Seconds before the next try.', default: DEFAULT_DELAY },
      ),
      max_delay: seconds('No delay is longer than this many seconds.'),
      to: text('The label of a task of the same pipeline.', { examples: ['fetch'] }),
      set_iter: {
        description: 'Values for the iteration, read as iter.<key>; in loops only.',
        type: 'object',
        examples: [{ page: '{{ iter.page + 1 }}' }],
      },
      set_ctx: {
        description: 'Values for the execution, read as ctx.<key>.',
        type: 'object',
        examples: [{ total: '{{ outcome.result.total }}' }],
      },
      set_shared: {
        description: 'What this iteration adds to ctx.<key> when the loop ends; in loops only.',
        type: 'object',
        additionalProperties: sharedWriteSchema(),
        examples: [{ total: { reduce: 'sum', value: '{{ outcome.result.amount }}' } }],
      },
    },
    {
      title: 'Then',
      description: 'What to do, and what to remember.',
      required: ['do'],
      examples: [{ do: 'continue' }, { do: 'retry', attempts: 5, backoff: 'exponential', delay: 2 }],
      allOf: [
        whenKey('do', ['retry'], {}, without(RETRY_KEYS)),
        whenKey('do', ['jump'], { required: ['to'] }, without(['to'])),
      ],
    },
  );
}

function sharedWriteSchema(): Schema {
  return closed(
    SHARED_WRITE_KEYS,
    {
      reduce: word(
        REDUCERS,
        {
          sum: 'Their sum.',
          min: 'The least of them.',
          max: 'The greatest of them.',
          count: 'How many there are; it needs no value.',
          append: 'A list of them.',
          union: 'A list of those that differ.',
          merge: 'Mappings merged into one.',
        },
        'How the contributions become one value.',
      ),
      value: { description: 'The contribution of this iteration.' },
    },
    {
      title: 'Shared write',
      description: 'The contributions of all iterations, in the order of the items.',
      required: ['reduce'],
      ...whenKey('reduce', ['count'], {}, { required: ['value'] }),
    },
  );
}
