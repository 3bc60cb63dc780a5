import {
  ARC_KEYS,
  DEFAULT_IN_FLIGHT,
  ITERATOR_NAME,
  LOOP_FAILURES,
  LOOP_KEYS,
  LOOP_MODES,
  LOOP_POLICY_KEYS,
  LOOP_SPEC_KEYS,
  PROFILES,
  RESERVED_ITERATORS,
  ROUTER_FAILURES,
  ROUTER_KEYS,
  ROUTER_MODES,
  ROUTER_SPEC_KEYS,
  STEP_KEYS,
  STEP_POLICY_KEYS,
  STEP_SPEC_KEYS,
} from '../model/vocabulary.ts';
import { closed, orTemplate, ref, type Schema, seconds, text, word } from './building-blocks.ts';
import { layerSchema } from './layer-schema.ts';
import { condition } from './policy-schema.ts';
import { toolSchema } from './task-schema.ts';

/** What `executor.profile` and `loop.spec.policy.exec` mean. */
export const PROFILE_MEANINGS = {
  local: 'One worker holds all iterations of a loop.',
  distributed: 'Any worker of the pool takes iterations.',
} as const;

/** DOC-5. */
export const stepDefinitions = (): Readonly<Record<string, Schema>> => ({
  step: closed(
    STEP_KEYS,
    {
      step: text('The name of the step, unique in the workflow. The first step is named start.', {
        examples: ['start'],
      }),
      desc: text('What the step is for, for people.'),
      spec: stepSpec(),
      loop: ref('loop'),
      tool: toolSchema,
      next: ref('router'),
    },
    {
      title: 'Step',
      description: 'A token that arrives runs the tool, once or for each item of the loop, and goes on by next.',
      required: ['step'],
      // A loop without a tool would have nothing to do for its items.
      dependencies: { loop: ['tool'] },
      examples: [{ step: 'start', tool: { kind: 'noop' }, next: { arcs: [{ step: 'report' }] } }],
    },
  ),
  loop: loopSchema(),
  router: routerSchema(),
});

function stepSpec(): Schema {
  return layerSchema(
    STEP_SPEC_KEYS,
    {
      policy: closed(
        STEP_POLICY_KEYS,
        { admit: ref('admission') },
        {
          title: 'Policy of a step',
          description: 'Whether the step runs. What happens to outcomes is the policy of a task.',
        },
      ),
      join: {
        title: 'Join',
        description:
          'How many tokens fire one run: any (each token), all (one run, when no further token can arrive), or a number.',
        anyOf: [{ enum: ['any', 'all'] }, { type: 'integer', minimum: 1 }],
        default: 'any',
      },
      pool: text('The pool of workers that runs the step; the default pool otherwise.'),
      step_timeout: seconds('How many seconds one run of the step may take, with its loop and retries.'),
    },
    'Spec of a step',
    'When and how the step runs; the rest is inherited by its tasks.',
  );
}

/** DOC-8. */
function loopSchema(): Schema {
  return closed(
    LOOP_KEYS,
    {
      in: orTemplate(
        { type: 'array' },
        { description: 'The items: a list, or a template that gives one.', examples: ['{{ workload.cities }}'] },
      ),
      iterator: {
        description: 'The name of the item: iter.<iterator> in the tasks.',
        type: 'string',
        pattern: ITERATOR_NAME.source,
        not: { enum: RESERVED_ITERATORS },
        examples: ['city'],
      },
      spec: layerSchema(
        LOOP_SPEC_KEYS,
        {
          mode: word(
            LOOP_MODES,
            {
              sequential: 'One item after the other.',
              parallel: 'Several items at once, at most max_in_flight.',
            },
            'Whether items wait for one another.',
            { default: 'sequential' },
          ),
          max_in_flight: {
            description: 'How many iterations of a parallel loop run at once.',
            type: 'integer',
            minimum: 1,
            default: DEFAULT_IN_FLIGHT,
          },
          policy: closed(
            LOOP_POLICY_KEYS,
            {
              exec: word(PROFILES, PROFILE_MEANINGS, 'Where iterations run; as executor.profile says otherwise.'),
              failure: word(
                LOOP_FAILURES,
                {
                  fail_fast: 'A failed iteration fails the step; no new ones start.',
                  best_effort: 'The others go on; the result of a failed one is null.',
                },
                'What a failed iteration means for the loop.',
                { default: 'fail_fast' },
              ),
            },
            { title: 'Policy of a loop', description: 'Where iterations run, and what their failures mean.' },
          ),
        },
        'Spec of a loop',
        'How the loop runs; the rest is inherited by its tasks.',
      ),
      loop: ref('loop'),
    },
    {
      title: 'Loop',
      description: 'Runs the tool for each item. A loop inside of it runs for each item too; its `in` may use iter.',
      required: ['in', 'iterator'],
      examples: [{ in: '{{ workload.cities }}', iterator: 'city', spec: { mode: 'parallel' } }],
    },
  );
}

/** DOC-7. */
function routerSchema(): Schema {
  return closed(
    ROUTER_KEYS,
    {
      spec: closed(
        ROUTER_SPEC_KEYS,
        {
          mode: word(
            ROUTER_MODES,
            { exclusive: 'The first arc that matches.', inclusive: 'Every arc that matches.' },
            'Which of the arcs that match are taken.',
            { default: 'exclusive' },
          ),
          on_failure: word(
            ROUTER_FAILURES,
            {
              event: 'Only arcs whose `when` reads `event`.',
              all: 'All arcs; one without `when` takes failures too.',
            },
            'Which arcs are considered when the step failed.',
            { default: 'event' },
          ),
          policy: closed([], {}, { title: 'Policy of a router', description: 'Reserved; nothing stands in it yet.' }),
        },
        { title: 'Spec of a router', description: 'How arcs are chosen.' },
      ),
      arcs: {
        title: 'Arcs',
        description: 'Where the token may go, in order. If no arc matches, the branch ends.',
        type: 'array',
        items: arcSchema(),
      },
    },
    {
      title: 'Router',
      description: 'Where the token goes when the step has ended.',
      required: ['arcs'],
      examples: [{ spec: { mode: 'exclusive' }, arcs: [{ step: 'report', when: '{{ ctx.total > 0 }}' }] }],
    },
  );
}

function arcSchema(): Schema {
  return closed(
    ARC_KEYS,
    {
      step: text('The name of a step of this workflow; `end` ends the branch.', { examples: ['report', 'end'] }),
      when: condition(
        'The arc matches if this is true; without it, it matches success.',
        "{{ event.name == 'step.failed' }}",
      ),
      args: orTemplate(
        { type: 'object' },
        {
          description: 'Values for the target, over those of the token; read as args.<key>.',
          examples: [{ page: '{{ args.page + 1 }}' }],
        },
      ),
      spec: closed([], {}, { title: 'Spec of an arc', description: 'Reserved; nothing stands in it yet.' }),
    },
    { title: 'Arc', description: 'A way to another step.', required: ['step'] },
  );
}
