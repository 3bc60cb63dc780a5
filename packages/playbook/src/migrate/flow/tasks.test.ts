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
    of: 'retry: its condition, with what is left of errors',
    old: `
      - step: start
        tool: { kind: http, url: http://localhost }
        retry:
          # three times
          max_attempts: 3
          initial_delay: 0.5 # seconds
          backoff_multiplier: 1
          max_delay: 5
          retry_when: "{{ status_code in [502, 503] }}" # the server is busy
    `,
    now: `
      - step: start
        tool:
          kind: http
          url: http://localhost
          spec:
            policy:
              rules:
                - when: "{{ outcome.http.status in [502, 503] }}" # the server is busy
                  then:
                    do: retry
                    # three times
                    attempts: 3
                    backoff: none
                    delay: 0.5 # seconds
                    max_delay: 5
                - when: "{{ outcome.status == 'error' }}"
                  then: { do: fail }
                - else:
                    then: { do: continue }
    `,
    rules: ['retry-rule', 'name-outcome'],
  },
  {
    of: 'retry of seed 004: any of its conditions, and a backoff of its own',
    old: `
      - step: start
        tool: { kind: http, url: http://localhost }
        retry:
          max_attempts: 5
          backoff: { type: exponential, base_seconds: 1, max_seconds: 60 }
          when:
            - "{{ last_error is not none }}"
            - "{{ result.status_code == 429 }}"
    `,
    now: `
      - step: start
        tool:
          kind: http
          url: http://localhost
          spec:
            policy:
              rules:
                - when: "{{ outcome.error is not none or outcome.http.status == 429 }}"
                  then:
                    do: retry
                    attempts: 5
                    backoff: exponential
                    delay: 1
                    max_delay: 60
                - when: "{{ outcome.status == 'error' }}"
                  then: { do: fail }
                - else:
                    then: { do: continue }
    `,
    rules: ['retry-rule', 'name-outcome'],
  },
  {
    of: 'retry of a task by kinds of errors, with a factor that has no name',
    old: `
      - step: start
        tool:
          - one:
              kind: playbook
              path: other
              retry: { max_attempts: 2, initial_delay: 1, backoff_multiplier: 1.5, retry_on: [timeout] }
          - two: { kind: noop }
    `,
    now: `
      - step: start
        tool:
          - one:
              kind: playbook
              path: other
              spec:
                policy:
                  rules:
                    - when: "{{ outcome.error.kind in ['timeout', 'timeout.step', 'timeout.execution'] }}"
                      then:
                        do: retry
                        attempts: 2
                        backoff: none
                        delay: "{{ 1 * 1.5 ** (_attempt - 1) }}"
                    - when: "{{ outcome.status == 'error' }}"
                      then: { do: fail }
                    - else:
                        then: { do: continue }
          - two: { kind: noop }
    `,
    rules: ['retry-rule'],
  },
  {
    of: 'vars are kept after a success',
    old: `
      - step: start
        tool: { kind: python, code: result = 1 }
        vars:
          # the first of them
          id: "{{ result.users[0].id }}" # a number
        next: a
    `,
    now: `
      - step: start
        tool:
          kind: python
          code: result = 1
          spec:
            policy:
              rules:
                - when: "{{ outcome.status == 'ok' }}"
                  then:
                    do: continue
                    set_ctx:
                      # the first of them
                      id: "{{ outcome.result.users[0].id }}" # a number
                - else:
                    then: { do: fail }
        next:
          arcs:
            - step: a
    `,
    rules: ['step-vars', 'name-outcome', 'next-arcs'],
  },
  {
    of: 'set of ctx and of iter, behind a task that has rules of its own',
    old: `
      - step: start
        loop: { in: [1], iterator: n }
        tool:
          - one:
              kind: noop
              spec: { policy: { rules: [{ else: { then: { do: break } } }] } }
        set: { ctx.a: 1, iter.b: 2 }
    `,
    now: `
      - step: start
        loop: { in: [1], iterator: n }
        tool:
          - one:
              kind: noop
              spec: { policy: { rules: [{ else: { then: { do: jump, to: keep } } }] } }
          - keep:
              kind: noop
              spec:
                policy:
                  rules:
                    - else:
                        then:
                          do: skip
                          set_ctx:
                            a: 1
                          set_iter:
                            b: 2
    `,
    rules: ['set-ctx'],
  },
  {
    of: 'what an arc sets is kept before it is taken',
    old: `
      - step: start
        next:
          arcs:
            - step: a
              set: { ctx.page: 2 }
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
                      page: 2
                - else:
                    then: { do: fail }
        next:
          arcs:
            - step: a
    `,
    rules: ['set-ctx'],
  },
  {
    of: 'what is kept of a loop as a whole is kept by a step behind it; failures still follow the loop',
    old: `
      - step: start
        loop: { in: [1], iterator: n }
        tool: { kind: noop }
        vars: { all: "{{ result }}" }
        case:
          - when: "{{ event.name == 'step.exit' and response | length > 1 }}"
            then: { next: [{ step: a }] }
          - when: "{{ event.name == 'call.error' }}"
            then: { next: [{ step: mend }] }
        next: b
    `,
    now: `
      - step: start
        loop: { in: [1], iterator: n }
        tool: { kind: noop }
        next:
          arcs:
            - { step: mend, when: "{{ event.name == 'step.failed' }}" }
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
                        all: "{{ results.start }}"
        next:
          arcs:
            - { step: a, when: "{{ event.name == 'step.done' and results.start | length > 1 }}" }
            - step: b
    `,
    rules: ['step-vars', 'name-result', 'case-arcs', 'case-event'],
  },
  {
    of: 'a sink that puts one row over another',
    old: `
      - step: start
        tool: { kind: python, code: result = 1 }
        sink:
          tool: postgres
          dsn: postgresql://localhost/db
          table: public.users
          mode: upsert
          key: id
          args: { id: "{{ this.id }}", name: "it's {{ this.name }}", age: 7 }
    `,
    now: `
      - step: start
        tool:
          - start: { kind: python, code: result = 1 }
          - sink:
              kind: postgres
              dsn: postgresql://localhost/db
              command: |
                INSERT INTO public.users (id, name, age)
                VALUES ({{ _prev.id }}, 'it''s {{ _prev.name }}', 7)
                ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, age = EXCLUDED.age
              spec:
                policy:
                  rules:
                    - when: "{{ outcome.status == 'ok' }}"
                      then: { do: skip }
                    - else:
                        then: { do: fail }
    `,
    rules: ['sink-task', 'name-prev'],
  },
  {
    of: 'a sink into the log of events',
    old: `
      - step: start
        sink:
          tool: event_log
          args: { status: done }
    `,
    now: `
      - step: start
        tool:
          kind: noop
          result: { status: done }
          spec:
            policy:
              rules:
                - when: "{{ outcome.status == 'ok' }}"
                  then: { do: skip }
                - else:
                    then: { do: fail }
    `,
    rules: ['sink-task'],
  },
  {
    of: 'another result of the step',
    old: `
      - step: start
        tool: { kind: python, code: result = 1 }
        result: { count: "{{ result.count }}" }
    `,
    now: `
      - step: start
        tool:
          - start: { kind: python, code: result = 1 }
          - result:
              kind: noop
              result: { count: "{{ _prev.count }}" }
    `,
    rules: ['step-result', 'name-prev'],
  },
];

const refusals: readonly { readonly of: string; readonly old: string; readonly problem: string }[] = [
  {
    of: 'an error that no dialect named',
    old: `
      - step: start
        tool: { kind: noop }
        retry: { max_attempts: 2, retry_on: [full_moon] }
    `,
    problem: "3: retry_on names 'full_moon', and what it stood for is not known",
  },
  {
    of: 'a retry of several tasks',
    old: `
      - step: start
        tool: [{ kind: noop }, { kind: noop }]
        retry: { max_attempts: 2 }
    `,
    problem: "3: the step has 'retry' and several tasks, and which of them are tried again cannot be told",
  },
  {
    of: 'a sink with a mode that is not known',
    old: `
      - step: start
        tool: { kind: noop }
        sink: { tool: postgres, auth: pg, table: t, mode: replace, args: { a: 1 } }
    `,
    problem: "3: the sink has mode 'replace'",
  },
  {
    of: 'values of a scope that does not exist',
    old: `
      - step: start
        tool: { kind: noop }
        set: { workload.x: 1 }
    `,
    problem: "3: 'set' sets 'workload.x'",
  },
];

describe('MIG-1: what is done about outcomes is rules and tasks of the pipeline', () => {
  it.each(rows)('$of', ({ old, now, rules }) => {
    const migrated = migratedSteps(old);
    expect(migrated.steps).toBe(trimmed(now));
    expect(migrated.rules).toEqual([...rules].sort());
    expect(migrated.problems).toEqual([]);
    expect(migratedSteps(now)).toEqual({ steps: trimmed(now), rules: [], problems: [] });
  });

  it.each(refusals)('what cannot be said is left as it stands: $of', ({ old, problem }) => {
    const { steps, problems } = migratedSteps(old);
    expect({ steps, problems }).toEqual({ steps: trimmed(old), problems: [problem] });
  });
});
