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

const pipelineReading = (read: string, label = 'fetch', between = ''): string => `  - step: fetch_page
    tool:
      - ${label}:
          kind: http
          url: http://localhost/
${between}      - check:
          kind: python
          input: { answer: "{{ ${read} }}" }
          code: result = answer
`;

const SAVING = `      - save:
          kind: noop
`;

it('MIG-1: a task of the step that is read by step and label is the result of that task', () => {
  const next = migrated(pipelineReading('fetch_page.fetch.body.id'));
  expect(next).toContain('args: { answer: "{{ _prev.data.id }}" }');
  const later = migrated(pipelineReading('fetch_page.fetch', 'fetch', SAVING));
  expect(later).toContain('set_ctx: { fetch: "{{ outcome.result }}" }');
  expect(later).toContain('args: { answer: "{{ ctx.fetch }}" }');
});

it('MIG-1: such a result is given to code with the fields that it reads', () => {
  const code = pipelineReading('fetch_page.fetch').replace('result = answer', "result = answer['status_code']");
  expect(migrated(code)).toContain('args: { answer: "{{ dict(_prev, status_code=_prev.status) }}" }');
});

it('MIG-1: such a result that cannot be kept under its label is a problem', () => {
  const { problems } = migratePlaybook(HEAD + pipelineReading('fetch_page.items', 'items', SAVING), { file: 'p.yaml' });
  expect(problems.map(({ message }) => message)).toEqual([
    "the result of the task 'items' is not at hand where 'fetch_page.items' is read",
  ]);
});

it('MIG-1: a field of the result that a step gave is read of its result elsewhere, whatever its tasks are called', () => {
  const other = `  - step: other
    tool: { kind: noop, input: { x: "{{ fetch_page.fetch }}" } }
`;
  expect(migrated(pipelineReading('fetch.body') + other)).toContain('args: { x: "{{ fetch_page.fetch }}" }');
});
