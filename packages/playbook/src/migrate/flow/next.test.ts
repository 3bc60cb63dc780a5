import { describe, expect, it } from 'vitest';
import { migratedSteps, trimmed } from './flow.testing.ts';

interface Row {
  readonly of: string;
  readonly old: string;
  readonly now: string;
  readonly rules: readonly string[];
}

const rows: readonly Row[] = [
  {
    of: 'the name of a step',
    old: `
      - step: start # first
        # then
        next: load # all of it
    `,
    now: `
      - step: start # first
        # then
        next: # all of it
          arcs:
            - step: load
    `,
    rules: ['next-arcs'],
  },
  {
    of: 'a list of one step, with its comment',
    old: `
      - step: start
        next:
          # the usual way
          - step: load # now
    `,
    now: `
      - step: start
        next:
          arcs:
            # the usual way
            - step: load # now
    `,
    rules: ['next-arcs'],
  },
  {
    of: 'a list of names: they run side by side',
    old: `
      - step: start
        next: [a, b]
    `,
    now: `
      - step: start
        next:
          spec: { mode: inclusive }
          arcs:
            - step: a
            - step: b
    `,
    rules: ['next-arcs', 'next-parallel'],
  },
  {
    of: 'with, which is args',
    old: `
      - step: start
        next:
          - step: load
            with: { id: 1 } # the first
    `,
    now: `
      - step: start
        next:
          arcs:
            - step: load
              args: { id: 1 } # the first
    `,
    rules: ['next-arcs', 'next-args'],
  },
  {
    of: 'when, then and else: the first that holds',
    old: `
      - step: start
        next:
          # hot
          - when: "{{ workload.hot }}"
            then:
              - step: warn
                with:
                  celsius: 30
          - when: '{{ workload.cold }}' # or cold
            then:
              - step: heat
          - else:
              - step: end
    `,
    now: `
      - step: start
        next:
          arcs:
            # hot
            - step: warn
              when: "{{ workload.hot }}"
              args:
                celsius: 30
            - step: heat
              when: '{{ workload.cold }}' # or cold
            - step: end
    `,
    rules: ['next-when', 'next-args'],
  },
  {
    of: 'several steps of one condition: all of them, and no others',
    old: `
      - step: start
        next:
          - when: "{{ workload.hot }}"
            then:
              - step: warn
              - step: cool
          - when: "{{ workload.cold or workload.wet }}"
            then: heat
          - step: end
    `,
    now: `
      - step: start
        next:
          spec: { mode: inclusive }
          arcs:
            - step: warn
              when: "{{ workload.hot }}"
            - step: cool
              when: "{{ workload.hot }}"
            - step: heat
              when: "{{ (workload.cold or workload.wet) and not workload.hot }}"
            - step: end
              when: "{{ not workload.hot and not (workload.cold or workload.wet) }}"
    `,
    rules: ['next-when', 'next-parallel'],
  },
  {
    of: 'a condition that is text beside text',
    old: `
      - step: start
        next:
          - when: "{{ workload.action }} == deploy-all"
            then:
              - step: deploy
            args: {}
          - when: "{{ workload.action or 'help' }} == 'help'"
            then:
              - step: explain
          - step: help
    `,
    now: `
      - step: start
        next:
          arcs:
            - step: deploy
              when: "{{ workload.action == 'deploy-all' }}"
            - step: explain
              when: "{{ (workload.action or 'help') == 'help' }}"
            - step: help
    `,
    rules: ['next-when', 'condition-text?'],
  },
  {
    of: 'steps with conditions: exclusive in every dialect',
    old: `
      - step: start
        next:
          - step: a
            when: "{{ workload.a }}"
          - { when: "{{ workload.b }}", step: b }
          - step: c
    `,
    now: `
      - step: start
        next:
          arcs:
            - step: a
              when: "{{ workload.a }}"
            - { when: "{{ workload.b }}", step: b }
            - step: c
    `,
    rules: ['next-when'],
  },
  {
    of: 'a router whose arcs have older keys',
    old: `
      - step: start
        next:
          spec: { mode: exclusive }
          arcs:
            - step: a
              expr: "{{ workload.a }}" # if
              set: { id: 1 }
            - step: b
              input:
                id: 2
    `,
    now: `
      - step: start
        next:
          spec: { mode: exclusive }
          arcs:
            - step: a
              when: "{{ workload.a }}" # if
              args: { id: 1 }
            - step: b
              args:
                id: 2
    `,
    rules: ['next-args'],
  },
];

const tokens: readonly Row[] = [
  {
    of: 'an arc without a condition is tried after failures, too',
    old: `
      - step: start
        tool: { kind: noop }
        next:
          - step: a
            when: "{{ ctx.a }}"
          - step: b
    `,
    now: `
      - step: start
        tool: { kind: noop }
        next:
          spec: { on_failure: all }
          arcs:
            - step: a
              when: "{{ ctx.a }}"
            - step: b
    `,
    rules: ['next-arcs', 'next-failure'],
  },
  {
    of: 'arcs that look at the event stay what they are, and the mode belongs to the router',
    old: `
      - step: start
        spec:
          next_mode: inclusive # both
        tool: { kind: noop }
        next:
          - step: a
            when: "{{ event.name == 'step.done' }}"
          - step: b
            when: "{{ event.name == 'step.failed' }}"
    `,
    now: `
      - step: start
        tool: { kind: noop }
        next:
          # both
          spec: { mode: inclusive }
          arcs:
            - step: a
              when: "{{ event.name == 'step.done' }}"
            - step: b
              when: "{{ event.name == 'step.failed' }}"
    `,
    rules: ['next-mode', 'next-arcs'],
  },
  {
    of: 'the guard of a step is its admission',
    old: `
      - step: start
        desc: Guarded
        # only then
        when: "{{ ctx.ready }}" # at last
        next:
          - step: a
    `,
    now: `
      - step: start
        desc: Guarded
        spec:
          policy:
            admit:
              rules:
                - when: "{{ ctx.ready }}" # at last
                  then: { allow: true }
                - else:
                    then: { allow: false }
        # only then
        next:
          arcs:
            - step: a
    `,
    rules: ['step-when', 'next-arcs'],
  },
];

/** By its guard a document is known as one of seed 002. */
const GUARDED = `
      - step: guarded
        when: true
`;

const refusals: readonly { readonly of: string; readonly old: string; readonly problem: string }[] = [
  {
    of: 'a key that no dialect had',
    old: `
      - step: start
        next:
          - step: a
            after: 5
    `,
    problem: "4: an item of 'next' has 'after'",
  },
  {
    of: 'a step without a condition before steps with one',
    old: `
      - step: start
        next:
          - step: a
          - step: b
            when: "{{ workload.b }}"
    `,
    problem:
      '3: a step without a condition stands before steps with one, and whether it was taken beside them or instead of them cannot be told',
  },
  {
    of: 'a condition that is half text',
    old: `
      - step: start
        next:
          - step: a
            when: "{{ workload.a }} is {{ workload.b }}"
    `,
    problem: "4: this condition is '{{ workload.a }} is {{ workload.b }}', and what it compares cannot be told",
  },
];

describe('seed 002: tokens go along the first arc that holds, after failures too', () => {
  it.each(tokens)('$of', ({ old, now, rules }) => {
    const migrated = migratedSteps(trimmed(old) + trimmed(GUARDED));
    expect(migrated.steps.split('- step: guarded')[0]).toBe(trimmed(now));
    expect(migrated.rules).toEqual(expect.arrayContaining([...rules]));
    expect(migrated.problems).toEqual([]);
  });
});

describe('what next may mean is not guessed', () => {
  it.each(refusals)('$of', ({ old, problem }) => {
    expect(migratedSteps(old)).toEqual({ steps: trimmed(old), rules: [], problems: [problem] });
  });
});

describe('DOC-7: next of older dialects is a router', () => {
  it.each(rows)('$of', ({ old, now, rules }) => {
    const migrated = migratedSteps(old);
    expect(migrated.steps).toBe(trimmed(now));
    expect(migrated.rules).toEqual([...rules].sort());
    expect(migrated.problems).toEqual([]);
    expect(migratedSteps(now)).toEqual({ steps: trimmed(now), rules: [], problems: [] });
  });
});
