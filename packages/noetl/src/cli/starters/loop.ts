import { starter } from './starter.ts';

export const loopStarter = starter(
  'Does the same for every item of a list, several at a time.',
  `workload:
  items:
    - { name: apples, quantity: 3 }
    - { name: pears, quantity: 0 }
    - { name: plums, quantity: 12 }

workflow:
  - step: start
    loop:
      in: "{{ workload.items }}"
      iterator: item
      spec:
        mode: parallel
        max_in_flight: 2
    tool:
      - describe:
          kind: noop
          result: "{{ iter.index + 1 }}. {{ iter.item.quantity }} {{ iter.item.name }}"
          spec:
            policy:
              rules:
                - when: "{{ outcome.status == 'error' }}"
                  then: { do: fail }
                - else:
                    then:
                      do: continue
                      # Iterations run side by side; what they add up, they share.
                      set_shared:
                        total: { reduce: sum, value: "{{ iter.item.quantity }}" }
    next:
      spec: { mode: exclusive }
      arcs:
        - step: report

  - step: report
    tool:
      - summary:
          kind: noop
          result:
            lines: "{{ results.start }}"
            total: "{{ ctx.total }}"
`,
);
