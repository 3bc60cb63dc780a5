import { expect, it } from 'vitest';
import { readYaml } from '../../yaml/read-yaml.ts';
import { grow } from '../tree/grow.ts';
import { olderNames } from './older-names.ts';

function found(template: string): readonly string[] {
  const text = `
workload: { given: 1, response: 2 }
workflow:
  - { step: each, loop: { in: [], iterator: item }, tool: { kind: noop } }
  - step: a
    tool: { kind: noop, args: { result: 1 }, code: '{{ vars.no }}' }
    next: { arcs: [{ step: b, when: "{{ ${template} }}" }] }
`;
  const yaml = readYaml(text);
  const root = 'error' in yaml || yaml.node.kind !== 'map' ? undefined : grow(text, yaml.node)?.root;
  if (root === undefined) throw new Error('no document');
  return olderNames(root).map(({ dialect, what }) => `${dialect}: ${what}`);
}

it.each([
  ['vars.x', "case-003: a template reads 'vars.x'"],
  ['output.data.rows[0]', "public-names: a template reads 'output.data.rows[0]'"],
  ["event.name == 'step.exit'", "case-003: a template compares 'event.name' with 'step.exit'"],
  ["outcome.status in ['success']", "eval-002: a template compares 'outcome.status' with 'success'"],
  ['outcome.response.x', "public-names: a template reads 'outcome.response.x'"],
  ["outcome.error.kind == 'auth'", "eval-002: a template compares 'outcome.error.kind' with 'auth'"],
  ['each.results', "public-names: a template reads 'each.results'"],
])('%s tells a dialect', (template, expected) => {
  expect(found(template)).toEqual([expected]);
});

it.each(['ctx.x', 'response', 'result', 'each[0]', "event.name == 'step.done'", 'outcome.result', 'a.data', 'data'])(
  '%s may stand in a canonical playbook',
  (template) => {
    expect(found(template)).toEqual([]);
  },
);
