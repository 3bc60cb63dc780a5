import { describe, expect, it } from 'vitest';
import { migratedSteps, trimmed } from '../flow/flow.testing.ts';

const rows = [
  {
    of: 'eval becomes rules, and an error that none matches fails (002)',
    old: `
      - step: start
        tool:
          - fetch:
              kind: http
              url: u
              # what is done about it
              eval:
                # too fast
                - expr: "{{ outcome.http.status == 429 }}" # slow down
                  do: retry
                  attempts: 5
                  backoff: fixed
                  delay: 2
                - expr: "{{ outcome.status == 'success' }}"
                  do: break
    `,
    now: `
      - step: start
        tool:
          - fetch:
              kind: http
              url: u
              spec:
                # what is done about it
                policy:
                  rules:
                    # too fast
                    - when: "{{ outcome.http.status == 429 }}" # slow down
                      then:
                        do: retry
                        attempts: 5
                        backoff: none
                        delay: 2
                    - when: "{{ outcome.status == 'ok' }}"
                      then:
                        do: break
                    - when: "{{ outcome.status == 'error' }}"
                      then: { do: fail }
    `,
    rules: ['eval-rules', 'error-fails', 'backoff-fixed', 'name-status'],
  },
  {
    of: 'else of eval; variables of a run outside of a loop are ctx (002)',
    old: `
      - step: start
        tool:
          kind: noop
          eval:
            - else:
                do: continue
                set_vars: { page: 1 }
    `,
    now: `
      - step: start
        tool:
          kind: noop
          spec:
            policy:
              rules:
                - else:
                    then:
                      do: continue
                      set_ctx:
                        page: 1
    `,
    rules: ['eval-rules', 'set-vars'],
  },
  {
    of: 'variables of a run in a loop are iter (002)',
    old: `
      - step: start
        loop: { in: [1], iterator: n }
        tool:
          kind: noop
          eval:
            - else: { do: continue, set_vars: { page: "{{ vars.page }}" } }
    `,
    now: `
      - step: start
        loop: { in: [1], iterator: n }
        tool:
          kind: noop
          spec:
            policy:
              rules:
                - else:
                    then:
                      do: continue
                      set_iter:
                        page: "{{ iter.page }}"
    `,
    rules: ['eval-rules', 'set-vars', 'name-vars'],
  },
  {
    of: 'a variable of a run that another step reads is of the execution, which the author should look at (002)',
    old: `
      - step: start
        tool:
          kind: noop
          eval:
            - else: { do: continue, set_vars: { page: 1 } }
      - step: other
        tool: { kind: noop, args: { page: "{{ vars.page }}" } }
    `,
    now: `
      - step: start
        tool:
          kind: noop
          spec:
            policy:
              rules:
                - else:
                    then:
                      do: continue
                      set_ctx:
                        page: 1
      - step: other
        tool: { kind: noop, args: { page: "{{ ctx.page }}" } }
    `,
    rules: ['eval-rules', 'set-vars', 'set-vars?', 'name-vars'],
  },
  {
    of: "today's public names in a rule",
    old: `
      - step: start
        loop: { in: [1], iterator: n }
        tool:
          kind: python
          code: result = 1
          spec:
            policy:
              rules:
                - else: # always
                    do: continue
                    set:
                      ctx.total: "{{ output.data.total }}" # all
                      iter.page: 2
    `,
    now: `
      - step: start
        loop: { in: [1], iterator: n }
        tool:
          kind: python
          code: result = 1
          spec:
            policy:
              rules:
                - else: # always
                    then:
                      do: continue
                      set_ctx:
                        total: "{{ outcome.result.total }}" # all
                      set_iter:
                        page: 2
    `,
    rules: ['eval-rules', 'set-ctx', 'name-outcome'],
  },
  {
    of: 'set of a task keeps values when it succeeds',
    old: `
      - step: start
        tool:
          kind: python
          code: result = 1
          set: { one: "{{ output.data }}" }
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
                      one: "{{ outcome.result }}"
                - else:
                    then: { do: fail }
    `,
    rules: ['set-ctx', 'name-outcome'],
  },
  {
    of: 'values of an iteration without a loop are ctx',
    old: `
      - step: start
        tool:
          kind: noop
          eval:
            - else: { do: continue, set_iter: { page: "{{ iter.page }}" } }
    `,
    now: `
      - step: start
        tool:
          kind: noop
          spec:
            policy:
              rules:
                - else:
                    then:
                      do: continue
                      set_ctx:
                        start_page: "{{ ctx.start_page }}"
    `,
    rules: ['eval-rules', 'set-vars'],
  },
];

describe('the policy of a task (MIG-1)', () => {
  it.each(rows)('$of', ({ old, now, rules }) => {
    const migrated = migratedSteps(old);
    expect(migrated.steps).toBe(trimmed(now));
    expect(migrated).toMatchObject({ problems: [] });
    expect([...migrated.rules].sort()).toEqual([...rules].sort());
    expect(migratedSteps(now)).toEqual({ steps: trimmed(now), rules: [], problems: [] });
  });

  it('hands on what set_prev gives by a task of its own (002)', () => {
    const { steps, problems } = migratedSteps(
      "- step: start\n  tool:\n    - a: { kind: noop, eval: [{ else: { do: continue, set_prev: '{{ outcome.result.x }}' } }] }\n",
    );
    expect(problems).toEqual([]);
    expect(steps).toContain("    - name: a_prev\n      kind: noop\n      result: '{{ _prev.x }}'\n");
    expect(steps).not.toContain('set_prev');
  });

  it.each([
    ['another way to the next task', "[{ expr: '{{ a }}', do: continue }, { else: { do: continue, set_prev: 1 } }]"],
    ['a break', '[{ else: { do: break, set_prev: 1 } }]'],
    ['an outcome that the next task cannot read', "[{ else: { do: continue, set_prev: '{{ outcome.error }}' } }]"],
  ])('refuses set_prev with %s', (_, rules) => {
    const { problems } = migratedSteps(`- step: start\n  tool: { kind: noop, eval: ${rules} }\n`);
    expect(problems).toEqual(["2: 'set_prev' changes what the next task gets, and not every way to it does"]);
  });
});
