import { readdirSync, readFileSync } from 'node:fs';
import { HOSTILE_DOCUMENTS } from '../../../packages/playbook/src/yaml/hostile-documents.testing.ts';

const EXAMPLES = new URL('../../../examples/', import.meta.url);

const HEAD = 'apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: {name: x}\n';

/** Small playbooks and pieces of YAML, each about one part of the language. */
const SMALL: readonly string[] = [
  '',
  'a: 1\n',
  `${HEAD}workflow: [{step: start, tool: {kind: noop, result: "{{ workload.a }}"}}]\n`,
  `${HEAD}workload: {items: [1, 2]}\nworkflow:\n- step: start\n  loop: {in: "{{ workload.items }}", iterator: item, spec: {mode: parallel}}\n  tool:\n  - get: {kind: http, url: "http://x/{{ iter.item }}", spec: {policy: {rules: [{when: "{{ outcome.status == 'error' }}", then: {do: retry, attempts: 2, delay: "{{ _attempt }}"}}, {else: {then: {do: break, set_iter: {a: 1}}}}]}}}\n  next: {spec: {mode: inclusive}, arcs: [{step: start, when: "{{ event.name == 'loop.done' }}", args: {x: 1}}, {step: end}]}\n`,
  `${HEAD}keychain:\n- {name: a, kind: bearer, token: "{{ workload.t }}"}\nexecutor: {profile: distributed, spec: {timeout: 3, http: {timeout: {connect: 1}}, entry_step: go}}\nworkbook:\n  clean: {kind: python, code: "result = 1"}\nworkflow:\n- step: go\n  spec: {join: all, policy: {admit: {rules: [{when: "{{ ctx.x is defined }}", then: {allow: true}}, {else: {then: {allow: false}}}]}}}\n  tool: {kind: workbook, name: clean}\n`,
  'a: &x [1, *y]\nb: {c: *x, "d": \'e\'}\n? f\n',
  'a: |\n  x\n   {{ y }}\nb: >-\n  z\n\n  w\nc: "q\n  r\\\n  s"\n',
];

/** What the fuzzer starts from: the examples and small pieces often, hostile documents now and then. */
export interface Seeds {
  readonly usual: readonly string[];
  readonly hostile: readonly string[];
}

export function loadSeeds(): Seeds {
  const examples = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => readFileSync(new URL(file, EXAMPLES), 'utf8'));
  return { usual: [...SMALL, ...examples], hostile: Object.values(HOSTILE_DOCUMENTS).map((make) => make()) };
}
