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
    of: 'what is kept of a loop is kept by a step behind it, which failures do not reach',
    old: `
      - step: start
        loop: { in: "{{ workload.items }}", iterator: item }
        tool: { kind: noop }
        vars: { kept: "{{ result }}" }
        case:
          - when: "{{ event.name == 'call.error' }}"
            then: { next: mend }
          - when: "{{ event.name == 'loop.done' }}"
            then: { next: load }
    `,
    now: `
      - step: start
        loop: { in: "{{ workload.items }}", iterator: item }
        tool: { kind: noop }
        next:
          arcs:
            - step: mend
              when: "{{ event.name == 'step.failed' }}"
            - step: start_vars
      - step: start_vars
        tool:
          kind: noop
          spec:
            policy:
              rules:
                - else:
                    then:
                      do: continue
                      set_ctx:
                        kept: "{{ results.start }}"
        next:
          arcs:
            - step: load
              when: "{{ event.name == 'step.done' }}"
    `,
    rules: ['step-vars', 'name-result', 'case-arcs', 'case-event'],
  },
  {
    of: 'ends of a call and of a step are boundaries of the step, with its own next as the last way',
    old: `
      - step: start
        tool:
          kind: http
          url: http://localhost
        case:
          # all is well
          - when: "{{ event.name == 'call.done' and response.status_code == 200 }}"
            then:
              next:
                - step: load # at once
          - when: "{{ event.name == 'call.error' }}"
            then:
              next:
                - step: mend
        next:
          - step: other # the rest
    `,
    now: `
      - step: start
        tool:
          kind: http
          url: http://localhost
        next:
          arcs:
            # all is well
            - step: load # at once
              when: "{{ event.name == 'step.done' and results.start.status == 200 }}"
            - step: mend
              when: "{{ event.name == 'step.failed' }}"
            - step: other # the rest
    `,
    rules: ['case-arcs', 'case-event', 'name-result'],
  },
  {
    of: 'the exit of a step is a failure only for who looks at the error',
    old: `
      - step: start
        tool: { kind: noop }
        case:
          - when: "{{ event.name == 'step.exit' and error is defined }}"
            then:
              next: mend
          - when: "{{ event.name == 'step.exit' }}"
            then:
              - step: load
    `,
    now: `
      - step: start
        tool: { kind: noop }
        next:
          arcs:
            - step: mend
              when: "{{ event.name == 'step.failed' }}"
            - step: load
              when: "{{ event.name == 'step.done' }}"
    `,
    rules: ['case-arcs', 'case-event', 'name-result'],
  },
  {
    of: 'the end of a loop',
    old: `
      - step: start
        loop: { in: [1], iterator: n }
        tool: { kind: noop }
        case:
          - when: "{{ event.name == 'loop.done' }}"
            then: { next: [{ step: load }] }
          - when: "{{ event.name == 'step.exit' }}"
            then: { next: [{ step: other }] }
    `,
    now: `
      - step: start
        loop: { in: [1], iterator: n }
        tool: { kind: noop }
        next:
          arcs:
            - { step: load, when: "{{ event.name == 'loop.done' }}" }
            - { step: other, when: "{{ event.name == 'loop.done' }}" }
    `,
    rules: ['case-arcs', 'case-event'],
  },
  {
    of: 'several steps of one entry: all of them, and those of no other entry',
    old: `
      - step: start
        tool: { kind: noop }
        case:
          - when: "{{ workload.hot }}"
            then:
              next: [{ step: a }, { step: b }]
        next: c
    `,
    now: `
      - step: start
        tool: { kind: noop }
        next:
          spec: { mode: inclusive }
          arcs:
            - { step: a, when: "{{ workload.hot }}" }
            - { step: b, when: "{{ workload.hot }}" }
            - step: c
              when: "{{ not workload.hot }}"
    `,
    rules: ['case-arcs', 'next-parallel'],
  },
  {
    of: 'retry is a rule, and errors that are left fail',
    old: `
      - step: start
        tool: { kind: http, url: http://localhost }
        case:
          # patience
          - when: "{{ event.name == 'call.error' and error.status in [502, 503] }}"
            then:
              retry:
                max_attempts: 3
                initial_delay: 0.5 # seconds
                backoff_multiplier: 2.0
          - when: "{{ event.name == 'step.exit' and response is defined }}"
            then:
              next:
                - step: load
    `,
    now: `
      - step: start
        tool:
          kind: http
          url: http://localhost
          spec:
            policy:
              rules:
                # patience
                - when: "{{ outcome.status == 'error' and outcome.http.status in [502, 503] }}"
                  then:
                    do: retry
                    attempts: 3
                    backoff: exponential
                    delay: 0.5 # seconds
                - when: "{{ outcome.status == 'error' }}"
                  then: { do: fail }
                - else:
                    then: { do: continue }
        next:
          arcs:
            - step: load
              when: "{{ event.name == 'step.done' and results.start is defined }}"
    `,
    rules: ['case-arcs', 'case-rules', 'name-outcome', 'case-event', 'name-result'],
  },
  {
    of: 'an entry before one that decides keeps its turn',
    old: `
      - step: start
        tool: { kind: python, code: result = 1 }
        case:
          - when: "{{ event.name == 'step.exit' and response.small }}"
            then: { next: [{ step: a }] }
          - when: "{{ event.name == 'step.exit' and response.large }}"
            then: { set: { size: "{{ response.size }}" }, next: [{ step: b }] }
    `,
    now: `
      - step: start
        tool:
          kind: python
          code: result = 1
          spec:
            policy:
              rules:
                - when: "{{ outcome.status == 'ok' and outcome.result.small }}"
                  then: { do: continue }
                - when: "{{ outcome.status == 'ok' and outcome.result.large }}"
                  then:
                    do: continue
                    set_ctx:
                      size: "{{ outcome.result.size }}"
                - when: "{{ outcome.status == 'error' }}"
                  then: { do: fail }
                - else:
                    then: { do: continue }
        next:
          arcs:
            - { step: a, when: "{{ event.name == 'step.done' and results.start.small }}" }
            - { step: b, when: "{{ event.name == 'step.done' and results.start.large }}" }
    `,
    rules: ['case-arcs', 'name-outcome', 'case-event', 'name-result', 'case-rules'],
  },
  {
    of: 'a sink is a task behind the work that runs where its entry is the first that holds',
    old: `
      - step: start
        tool: { kind: python, code: result = 1 }
        case:
          - when: "{{ event.name == 'step.exit' and response.small }}"
            then:
              - next: [{ step: a }]
          - when: "{{ event.name == 'step.exit' }}"
            then:
              - sink:
                  tool:
                    kind: http
                    url: http://localhost
                    json: { size: "{{ result.size }}" }
              - next: [{ step: b }]
    `,
    now: `
      - step: start
        tool:
          - start: { kind: python, code: result = 1 }
          - sink:
              kind: http
              url: http://localhost
              json: { size: "{{ _prev.size }}" }
              spec:
                policy:
                  rules:
                    - when: "{{ _prev.small }}"
                      then: { do: skip }
                    - when: "{{ outcome.status == 'ok' }}"
                      then: { do: skip }
                    - else:
                        then: { do: fail }
        next:
          arcs:
            - { step: a, when: "{{ event.name == 'step.done' and results.start.small }}" }
            - { step: b, when: "{{ event.name == 'step.done' }}" }
    `,
    rules: ['case-arcs', 'name-prev', 'case-event', 'name-result', 'sink-task'],
  },
  {
    of: 'an entry that goes nowhere leaves it to the next of the step',
    old: `
      - step: start
        tool: { kind: noop }
        case:
          - when: "{{ event.name == 'step.exit' }}"
            then:
              set: [{ name: done, value: true }]
        next: a
    `,
    now: `
      - step: start
        tool:
          kind: noop
          spec:
            policy:
              rules:
                - when: "{{ outcome.status == 'ok' }}"
                  then:
                    do: continue
                    set_ctx:
                      done: true
                - else:
                    then: { do: fail }
        next:
          arcs:
            - step: a
    `,
    rules: ['case-arcs', 'case-rules', 'case-arcs?'],
  },
];

const refusals: readonly { readonly of: string; readonly entry: string; readonly problem: string }[] = [
  {
    of: 'an action that no dialect had',
    entry: '{ when: "{{ workload.x }}", then: { notify: someone } }',
    problem: "4: an entry of 'case' does 'notify'",
  },
  {
    of: 'an event that no dialect had',
    entry: '{ when: "{{ event.name == \'sink.done\' }}", then: { next: a } }',
    problem:
      "4: an entry of 'case' looks at 'event' otherwise than by event.name == '…' and … , with a name of an event that is known",
  },
  {
    of: 'a sink after a failure',
    entry: '{ when: "{{ event.name == \'call.error\' }}", then: { sink: { tool: { kind: noop } } } }',
    problem: "4: 'sink' of an entry of 'case' is done after the work of the step failed",
  },
  {
    of: 'a call before the work of the step',
    entry: '{ when: "{{ event.name == \'step.enter\' }}", then: { next: a } }',
    problem: "4: 'next' of an entry of 'case' is done before the work of the step",
  },
];

describe('seed 003: case is tried top down, and the first entry that holds wins', () => {
  it('what a page gives is joined as a whole to what there is', () => {
    const { steps, problems } = migratedSteps(`
      - step: start
        tool: { kind: http, url: http://localhost, params: { page: 1 } }
        case:
          - when: "{{ event.name == 'call.done' and response.data.more }}"
            then:
              collect: { from: "response.data.items or []", into: ctx.items }
              call: { params: { page: "{{ response.data.page + 1 }}" } }
        next: load
    `);
    expect(problems).toEqual([]);
    expect(steps).toContain('items: "{{ ctx.items | default([]) + (outcome.result.data.items or []) }}"');
  });

  it.each(rows)('$of', ({ old, now, rules }) => {
    const migrated = migratedSteps(old);
    expect(migrated.steps).toBe(trimmed(now));
    expect(migrated.rules).toEqual([...rules].sort());
    expect(migrated.problems).toEqual([]);
    expect(migratedSteps(now)).toEqual({ steps: trimmed(now), rules: [], problems: [] });
  });

  it.each(refusals)('what cannot be said is left as it stands: $of', ({ entry, problem }) => {
    const old = `- step: start\n  tool: { kind: noop }\n  case:\n    - ${entry}\n`;
    expect(migratedSteps(old)).toEqual({ steps: old, rules: [], problems: [problem] });
  });
});
