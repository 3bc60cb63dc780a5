import { starter } from './starter.ts';

export const httpStarter = starter(
  'Calls an API and reports what it answered.',
  `workload:
  url: https://api.example.com/status

workflow:
  - step: start
    tool:
      - call:
          kind: http
          method: GET
          url: "{{ workload.url }}"
          spec:
            timeout: 10
            # Rules are tried from the top; the first that matches says what happens.
            policy:
              rules:
                - when: "{{ outcome.status == 'error' and outcome.http.status in [429, 500, 502, 503, 504] }}"
                  then: { do: retry, attempts: 3, backoff: exponential, delay: 1 }
                - when: "{{ outcome.status == 'error' }}"
                  then: { do: fail }
                - else:
                    then: { do: continue }
    next:
      spec: { mode: exclusive }
      arcs:
        - step: report

  - step: report
    tool:
      - summary:
          kind: noop
          result:
            status: "{{ results.start.status }}"
            answer: "{{ results.start.data }}"
`,
);
