import { starter } from './starter.ts';

export const etlStarter = starter(
  'Extracts orders, transforms them and loads them into a table.',
  `workload:
  database: orders.duckdb
  min_amount: 10
  orders:
    - { id: 1, customer: Ada, amount: 25 }
    - { id: 2, customer: Bob, amount: 5 }
    - { id: 3, customer: Cid, amount: 40 }

workflow:
  - step: start
    desc: Put your own source here, such as a task of kind http or postgres
    tool:
      - extract:
          kind: noop
          result: "{{ workload.orders }}"
    next:
      spec: { mode: exclusive }
      arcs:
        - step: transform

  - step: transform
    tool:
      - select_and_tax:
          kind: javascript
          # Code is never templated: values reach it through args.
          args:
            orders: "{{ results.start }}"
            min_amount: "{{ workload.min_amount }}"
          code: |
            function main({ orders, min_amount }) {
              return orders
                .filter((order) => order.amount >= min_amount)
                .map((order) => ({ ...order, tax: order.amount * 0.2 }));
            }
    next:
      spec: { mode: exclusive }
      arcs:
        - step: load
          when: "{{ results.transform | length > 0 }}"
        - step: report

  - step: load
    loop:
      in: "{{ results.transform }}"
      iterator: order
      spec:
        mode: sequential
    tool:
      - insert:
          kind: duckdb
          database: "{{ workload.database }}"
          # Templates in SQL become bound parameters, never part of the statement.
          commands:
            - CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, customer VARCHAR, amount DOUBLE, tax DOUBLE)
            - |
              INSERT OR REPLACE INTO orders
              VALUES ({{ iter.order.id }}, {{ iter.order.customer }}, {{ iter.order.amount }}, {{ iter.order.tax }})
    next:
      spec: { mode: exclusive }
      arcs:
        - step: report

  - step: report
    tool:
      - summary:
          kind: noop
          result:
            extracted: "{{ results.start | length }}"
            loaded: "{{ results.transform | length }}"
`,
);
