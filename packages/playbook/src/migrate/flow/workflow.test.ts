import { describe, expect, it } from 'vitest';
import { migratedSteps, trimmed } from './flow.testing.ts';

const FORK = `
  - step: start
    next: [a, b]
  - step: a
    next: more
  - step: more
    next: meet
  - step: b
    next: meet
  - step: meet
    desc: All of it
    next: last
  - step: last
`;

/** The steps that wait for all branches. */
const joins = (steps: string): readonly string[] =>
  [...migratedSteps(steps).steps.matchAll(/- step: (\w+)\n(?: {2}desc: .*\n)? {2}spec: \{ join: all \}/g)].map(
    ([, name]) => name ?? '',
  );

describe('ENG-6: branches of older lists that meet at a step', () => {
  it('are joined where they meet, and not after that', () => {
    expect(joins(FORK)).toEqual(['meet']);
    expect(migratedSteps(FORK).rules).toContain('join-all');
  });

  it('are joined where a branch leads to the target of another', () => {
    expect(joins('- step: start\n  next: [a, b]\n- step: a\n  next: b\n- step: b\n')).toEqual(['b']);
  });

  it('are no branches where one of several ways is taken', () => {
    const steps = `
      - step: start
        next:
          - { step: a, when: "{{ workload.a }}" }
          - step: b
      - step: a
        next: meet
      - step: b
        next: meet
      - step: meet
    `;
    expect(joins(steps)).toEqual([]);
  });

  it('are tokens in seed 002 and in routers, and run the step once each', () => {
    const guarded = '  - step: guarded\n    when: true\n';
    expect(joins(FORK + guarded)).toEqual([]);
    const router = 'next:\n      spec: { mode: inclusive }\n      arcs: [{ step: a }, { step: b }]';
    expect(joins(FORK.replace('next: [a, b]', router))).toEqual([]);
  });
});

describe('seed 004: steps between a loop and its end', () => {
  const LOOP = `
    - step: start
      loop: { in: "{{ workload.cities }}", iterator: city }
      next:
        - step: fetch
    # of one city
    - step: fetch
      desc: Asks
      tool:
        kind: http
        url: "http://localhost/{{ city }}"
      next:
        - step: judge
    - step: judge
      tool: { kind: python, args: { heat: "{{ fetch.data.celsius }}" }, code: result = heat > 25 }
      next:
        - step: all
    - step: all
      end_loop: start
      result:
        hot: "{{ start_results | map(attribute='judge') | list }}"
  `;

  it('are its pipeline, with results by their names', () => {
    const { steps, problems } = migratedSteps(LOOP);
    expect(problems).toEqual([]);
    expect(steps).toBe(
      trimmed(`
        - step: start
          loop: { in: "{{ workload.cities }}", iterator: city }
          tool:
            # of one city
            - fetch:
                kind: http
                desc: Asks
                url: "http://localhost/{{ city }}"
                spec:
                  policy:
                    rules:
                      - when: "{{ outcome.status == 'ok' }}"
                        then:
                          do: continue
                          set_iter:
                            fetch: "{{ outcome.result }}"
                      - else:
                          then: { do: fail }
            - judge:
                kind: python
                args: { heat: "{{ iter.fetch.data.celsius }}" }
                code: result = heat > 25
                spec:
                  policy:
                    rules:
                      - when: "{{ outcome.status == 'ok' }}"
                        then:
                          do: continue
                          set_iter:
                            judge: "{{ outcome.result }}"
                      - else:
                          then: { do: fail }
            - collect:
                kind: noop
                result:
                  fetch: "{{ iter.fetch }}"
                  judge: "{{ iter.judge }}"
          next:
            arcs:
              - step: all
        - step: all
          tool:
            kind: noop
            result:
              hot: "{{ results.start | map(attribute='judge') | list }}"
            spec:
              policy:
                rules:
                  - else:
                      then:
                        do: continue
                        set_ctx:
                          hot: "{{ outcome.result.hot }}"
      `),
    );
  });

  it('are left as they stand where they are not one after the other', () => {
    const forked = LOOP.replace(
      '- step: judge\n    - step: judge',
      '- step: judge\n        - step: all\n    - step: judge',
    );
    expect(migratedSteps(forked).problems).toEqual([
      "19: the steps between the loop 'start' and its end are not one after the other",
    ]);
  });
});
