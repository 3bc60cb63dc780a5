import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExecutionEvent } from '../execution/event.ts';
import { evolve } from '../execution/evolve.ts';
import type { Plan } from '../execution/plan.ts';
import { initialState } from '../execution/state.ts';
import { failed, ok, planFrom, World } from '../execution/world.testing.ts';
import { TAG } from '../result-reference.ts';
import type { KnownValues } from '../scope/known-values.ts';
import { explain } from './explain.ts';
import type { Explanation } from './explanation.ts';

const world = (yaml: string) => new World(planFrom(yaml)).request();

/** The explanations of a log, by the name of their events. */
function explainAll(plan: Plan, log: readonly ExecutionEvent[], known?: KnownValues): readonly [string, Explanation][] {
  let state = initialState;
  return log.flatMap((event): readonly [string, Explanation][] => {
    const { explanation } = explain(plan, state, event, known);
    state = evolve(state, event);
    return explanation === undefined ? [] : [[event.name, explanation]];
  });
}

const told = ({ plan, log }: World, name: string) =>
  explainAll(plan, log).flatMap(([event, explanation]) => (event === name ? [explanation] : []));

describe('an explanation of routing', () => {
  const ROUTED = `
workload: { limit: 3 }
workflow:
  - step: start
    tool: { kind: noop, spec: { policy: { rules: [{ else: { then: { do: continue, set_ctx: { n: 5 } } } }] } } }
    next:
      arcs:
        - { step: few, when: "{{ ctx.n < workload.limit }}" }
        - { step: many, when: "{{ ctx.n >= workload.limit and ctx.gone is not defined }}" }
        - { step: other }
  - { step: few }
  - { step: many }
  - { step: other }
`;

  it('has every arc with its expression, what it read and its verdict, also what was undefined', () => {
    const [arcs] = told(
      world(ROUTED).drain(() => ok()),
      'next.evaluated',
    );
    expect(arcs).toEqual({
      about: 'arcs',
      step: 'start',
      decision: 'taken',
      conditions: [
        {
          index: 0,
          when: '{{ ctx.n < workload.limit }}',
          verdict: 'not_matched',
          leads_to: 'few',
          reads: { 'ctx.n': 5, 'workload.limit': 3 },
        },
        {
          index: 1,
          when: '{{ ctx.n >= workload.limit and ctx.gone is not defined }}',
          verdict: 'matched',
          leads_to: 'many',
          reads: { 'ctx.n': 5, 'workload.limit': 3 },
          undefined: ['ctx.gone'],
        },
        { index: 2, verdict: 'not_evaluated', leads_to: 'other' },
      ],
    });
  });

  it('finds in the log what the event had no room for', () => {
    const w = world(ROUTED).drain(() => ok());
    const bare = w.log.map((event) =>
      event.name !== 'next.evaluated'
        ? event
        : {
            ...event,
            payload: { ...event.payload, arcs: event.payload.arcs.map(({ when: _, reads: __, ...arc }) => arc) },
          },
    );
    expect(explainAll(w.plan, bare)).toEqual(explainAll(w.plan, w.log));
  });

  it('tells arcs that take no failure, and an error', () => {
    const w = world(`
workflow:
  - step: start
    tool: { kind: noop }
    next: { arcs: [{ step: a }, { step: b, when: "{{ event.payload.error.retryable / 0 }}" }] }
  - { step: a }
  - { step: b }
`);
    w.run('1', failed());
    expect(told(w, 'next.evaluated')).toMatchObject([
      {
        decision: 'error',
        conditions: [
          { verdict: 'not_considered', leads_to: 'a' },
          { verdict: 'error', reads: { 'event.payload.error.retryable': true }, error: { kind: 'template' } },
        ],
      },
    ]);
  });
});

describe('an explanation of admission', () => {
  const admitted = (n: number) =>
    world(`
workflow:
  - step: start
    next: { arcs: [{ step: gate, args: { n: ${n} } }] }
  - step: gate
    spec:
      policy:
        admit:
          rules:
            - { when: "{{ args.n > 10 }}", then: { allow: true } }
            - { when: "{{ args.n < 0 and event.name == 'step.done' }}", then: { allow: false } }
            - { when: "{{ 1 / (args.n - 7) }}", then: { allow: true } }
            - { else: { then: { allow: true } } }
    tool: { kind: noop }
`).drain(() => ok());

  it('has the rules up to the one that let the token in', () => {
    expect(told(admitted(11), 'step.scheduled')).toEqual([
      {
        about: 'admission',
        step: 'gate',
        decision: 'allow',
        by: 0,
        conditions: [
          { index: 0, when: '{{ args.n > 10 }}', verdict: 'matched', leads_to: 'allow', reads: { 'args.n': 11 } },
          expect.objectContaining({ index: 1, verdict: 'not_evaluated', leads_to: 'deny' }),
          expect.objectContaining({ index: 2, verdict: 'not_evaluated' }),
          { index: 3, verdict: 'not_evaluated', leads_to: 'allow' },
        ],
      },
    ]);
  });

  it('tells what the rules above the one that refused it read', () => {
    expect(told(admitted(-1), 'step.skipped')).toMatchObject([
      {
        decision: 'deny',
        by: 1,
        conditions: [
          { verdict: 'not_matched', reads: { 'args.n': -1 } },
          { verdict: 'matched', reads: { 'args.n': -1, 'event.name': 'step.done' } },
          { verdict: 'not_evaluated' },
          { verdict: 'not_evaluated' },
        ],
      },
    ]);
  });

  it('names the rule that could not be evaluated (TPL-4)', () => {
    expect(told(admitted(7), 'step.failed')).toMatchObject([
      {
        decision: 'error',
        by: 2,
        conditions: [{}, {}, { verdict: 'error', reads: { 'args.n': 7 }, error: { kind: 'template' } }, {}],
      },
    ]);
  });
});

describe('an explanation of a policy', () => {
  const RULES = `
          spec:
            policy:
              rules:
                - { when: "{{ outcome.status == 'error' and _attempt < 2 }}", then: { do: retry, attempts: 5, delay: 0 } }
                - { when: "{{ outcome.result.pages[-1] == iter.page and keychain.api is not defined }}", then: { do: break } }
                - { when: "{{ outcome.result / 0 }}", then: { do: continue } }
`;
  const looped = () =>
    world(`
keychain: [{ name: api, kind: static, value: 1 }]
workflow:
  - step: start
    loop: { in: [3, 4], iterator: page, spec: { mode: sequential, policy: { failure: best_effort } } }
    tool:
      - call:
          kind: noop
${RULES}
`);

  it('has the rules up to the one that took the outcome, with what they read then', () => {
    const w = looped();
    w.run('1:0', failed('http'));
    w.run('1:0', ok({ pages: [1, 2, 3] }));
    const [retried, broken] = told(w, 'task.done');
    expect(retried).toMatchObject({
      about: 'policy',
      step: 'start',
      task: 'call',
      decision: 'retry',
      by: 0,
      conditions: [
        { verdict: 'matched', leads_to: 'retry', reads: { 'outcome.status': 'error', _attempt: 1 } },
        { verdict: 'not_evaluated' },
        { verdict: 'not_evaluated' },
      ],
    });
    expect(broken).toMatchObject({
      decision: 'break',
      by: 1,
      conditions: [
        { verdict: 'not_matched', reads: { 'outcome.status': 'ok', _attempt: 2 } },
        {
          verdict: 'matched',
          reads: { 'outcome.result.pages': [1, 2, 3], 'iter.page': 3, 'keychain.api': '[secret]' },
        },
        { verdict: 'not_evaluated' },
      ],
    });
  });

  it('names the rule whose condition could not be evaluated (TPL-4)', () => {
    const w = looped();
    w.run('1:0', ok('text'));
    expect(told(w, 'task.done')).toMatchObject([
      {
        decision: 'error',
        by: 'default',
        conditions: [
          { verdict: 'not_matched' },
          { verdict: 'not_matched', undefined: ['outcome.result.pages'] },
          { verdict: 'error', reads: { 'outcome.result': 'text' }, error: { kind: 'template' } },
        ],
      },
    ]);
  });

  it('tells a reference as one, asks for it, and follows it once it is known', () => {
    const reference = {
      [TAG]: 'reference',
      store: 's',
      key: 'k',
      checksum: 'c',
      size: 9,
      schema_hint: 'object',
    } as const;
    const w = looped();
    w.run('1:0', ok({ pages: [1, 2, 3] }));
    const at = w.log.findIndex(({ name }) => name === 'task.done');
    const state = w.log.slice(0, at).reduce(evolve, initialState);
    const event = JSON.parse(JSON.stringify(w.log[at]));
    event.payload.outcome.result = reference;
    const { explanation, wanted } = explain(w.plan, state, event);
    expect(explanation?.conditions[1]?.reads).toMatchObject({ 'outcome.result.pages': reference });
    expect(wanted).toEqual([reference]);
    const known = explain(w.plan, state, event, new Map([['s:k', { value: { pages: [9] } }]]));
    expect(known.wanted).toEqual([]);
    expect(known.explanation?.conditions[1]?.reads).toMatchObject({ 'outcome.result.pages': [9] });
  });

  it('tells the item of a list that is kept elsewhere', () => {
    const list = { [TAG]: 'reference', store: 's', key: 'l', checksum: 'c', size: 9, schema_hint: 'list' } as const;
    const w = looped();
    w.run('1:0', ok({ pages: [3] }));
    const at = w.log.findIndex(({ name }) => name === 'task.done');
    const stored = w.log.slice(0, at).map((event) => {
      return event.name === 'loop.started' ? { ...event, payload: { ...event.payload, in: list } } : event;
    });
    const state = stored.reduce(evolve, initialState);
    const event = w.log[at] as ExecutionEvent;
    expect(explain(w.plan, state, event)).toMatchObject({
      explanation: { conditions: [{}, { reads: { 'iter.page': list } }, {}] },
      wanted: [list],
    });
    const known = explain(w.plan, state, event, new Map([['s:l', { value: [3, 4] }]]));
    expect(known.explanation?.conditions[1]?.reads).toMatchObject({ 'iter.page': 3 });
  });

  it('is that of the call in the workbook, and there is none where there is no policy', () => {
    const w = world(`
workbook:
  ask: { kind: noop, spec: { policy: { rules: [{ when: "{{ args.n == 2 }}", then: { do: break } }] } } }
workflow:
  - step: start
    tool:
      - plain: { kind: noop }
      - called: { kind: workbook, name: ask, args: { n: "{{ 1 + 1 }}" } }
`).drain(() => ok());
    expect(told(w, 'task.done')).toMatchObject([
      { task: 'called', decision: 'break', conditions: [{ verdict: 'matched', reads: { 'args.n': 2 } }] },
    ]);
  });
});

describe('the values that conditions read', () => {
  it('are, found in the log, those that the events recorded', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -3, max: 12 }), { minLength: 1, maxLength: 6 }), (numbers) => {
        const w = world(`
workload: { numbers: ${JSON.stringify(numbers)} }
workflow:
  - step: start
    next:
      spec: { mode: inclusive }
      arcs: [${numbers.map((n, at) => `{ step: s${at}, when: "{{ workload.numbers[${at}] > 0 }}", args: { n: ${n} } }`).join(', ')}]
${numbers
  .map(
    (_, at) => `  - step: s${at}
    spec: { policy: { admit: { rules: [{ when: "{{ n > 6 or event.seq < 0 }}", then: { allow: false } }, { when: "{{ args.n >= 3 }}", then: { allow: true } }] } } }
`,
  )
  .join('')}`).drain(() => ok());
        const bare = w.log.map((event) =>
          JSON.parse(JSON.stringify(event, (key, value) => (key === 'reads' ? undefined : value))),
        );
        expect(explainAll(w.plan, bare)).toEqual(explainAll(w.plan, w.log));
      }),
      { numRuns: 30 },
    );
  });
});
