import { expect, it } from 'vitest';
import { readPlaybook } from '../../read-playbook.ts';
import { migratePlaybook } from '../migrate-playbook.ts';

const HEAD = `apiVersion: noetl.io/v2
kind: Playbook
metadata: { name: p }
workload: { items: [1, 2] }
workflow:
`;

/** The workflow after migration, which must be valid, and stay as it is when it is migrated again. */
function migrated(workflow: string): string {
  const { text, problems } = migratePlaybook(HEAD + workflow, { file: 'p.yaml' });
  expect(problems).toEqual([]);
  const { diagnostics } = readPlaybook(text, { file: 'p.yaml' });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(migratePlaybook(text, { file: 'p.yaml' }).text).toBe(text);
  return text.slice(HEAD.length);
}

it('MIG-1: results of a pipeline that are read by label later are kept in the iteration', () => {
  expect(
    migrated(`  - step: start
    loop: { in: "{{ workload.items }}", iterator: item }
    tool:
      - name: build
        kind: python
        input: { item: "{{ iter.item }}" }
        code: result = dict(x=1)
      - name: fetch
        kind: http
        url: "http://localhost/{{ build.id }}"
        spec:
          policy:
            rules:
              - when: '{{ output.status == "error" }}'
                then: { do: fail }
              - else: { then: { do: continue } }
      - name: store
        kind: python
        input: { build: "{{ build }}", answer: "{{ fetch.body }}" }
        code: result = build
      - name: check
        kind: python
        input: { status: "{{ fetch.status_code }}" }
        code: result = status
`),
  ).toBe(`  - step: start
    loop: { in: "{{ workload.items }}", iterator: item }
    tool:
      - name: build
        kind: python
        args: { item: "{{ iter.item }}" }
        code: result = dict(x=1)
        spec:
          policy:
            rules:
              - when: "{{ outcome.status == 'ok' }}"
                then:
                  do: continue
                  set_iter: { build: "{{ outcome.result }}" }
              - else:
                  then: { do: fail }
      - name: fetch
        kind: http
        url: "http://localhost/{{ iter.build.id }}"
        spec:
          policy:
            rules:
              - when: '{{ outcome.status == "error" }}'
                then: { do: fail }
              - else: { then: { do: continue } }
      - name: keep_fetch
        kind: noop
        result: "{{ _prev }}"
        spec:
          policy:
            rules:
              - else:
                  then:
                    do: continue
                    set_iter: { fetch: "{{ outcome.result }}" }
      - name: store
        kind: python
        args: { build: "{{ iter.build }}", answer: "{{ iter.fetch.data }}" }
        code: result = build
      - name: check
        kind: python
        args: { status: "{{ iter.fetch.status }}" }
        code: result = status
`);
});

it('MIG-1: a result that only the next task reads is _prev, one that arcs read is in ctx', () => {
  expect(
    migrated(`  - step: start
    tool:
      - name: fetch
        kind: python
        code: result = dict(x=1)
      - name: check
        kind: python
        input: { more: "{{ fetch.more }}" }
        code: result = dict(x=1)
    next:
      arcs:
        - step: start
          when: "{{ start.results.check.more }}"
        - step: end
          when: "{{ start.results.fetch.more == false }}"
`),
  ).toBe(`  - step: start
    tool:
      - name: fetch
        kind: python
        code: result = dict(x=1)
        spec:
          policy:
            rules:
              - when: "{{ outcome.status == 'ok' }}"
                then:
                  do: continue
                  set_ctx: { fetch: "{{ outcome.result }}" }
              - else:
                  then: { do: fail }
      - name: check
        kind: python
        args: { more: "{{ ctx.fetch.more }}" }
        code: result = dict(x=1)
    next:
      arcs:
        - step: start
          when: "{{ results.start.more }}"
        - step: end
          when: "{{ ctx.fetch.more == false }}"
`);
});
