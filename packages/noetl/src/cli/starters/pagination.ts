import { starter } from './starter.ts';

export const paginationStarter = starter(
  'Reads a list of an API page by page.',
  `workload:
  url: https://api.example.com/items
  page_size: 100

workflow:
  - step: start
    tool:
      - first_page:
          kind: noop
          spec:
            policy:
              rules:
                - else:
                    then: { do: continue, set_ctx: { page: 1, items: [] } }
    next:
      spec: { mode: exclusive }
      arcs:
        - step: read_pages

  - step: read_pages
    tool:
      - fetch:
          kind: http
          method: GET
          url: "{{ workload.url }}"
          params:
            page: "{{ ctx.page }}"
            pageSize: "{{ workload.page_size }}"
          spec:
            policy:
              rules:
                - when: "{{ outcome.status == 'error' and outcome.http.status in [429, 500, 502, 503, 504] }}"
                  then: { do: retry, attempts: 5, backoff: exponential, delay: 1 }
                - when: "{{ outcome.status == 'error' }}"
                  then: { do: fail }
                - else:
                    then:
                      do: continue
                      set_ctx:
                        # What the pages of your API look like, and how they say that there are more:
                        items: "{{ ctx.items + outcome.result.data.items }}"
      - turn_page:
          kind: noop
          result: "{{ _prev.data.has_more }}"
          spec:
            policy:
              rules:
                - when: "{{ outcome.result }}"
                  then:
                    do: jump
                    to: fetch
                    set_ctx:
                      page: "{{ ctx.page + 1 }}"
                - else:
                    then: { do: break }
    next:
      spec: { mode: exclusive }
      arcs:
        - step: report

  - step: report
    tool:
      - summary:
          kind: noop
          result:
            pages: "{{ ctx.page }}"
            items: "{{ ctx.items | length }}"
`,
);
