import { expect, it } from 'vitest';
import { readYaml } from '../../yaml/read-yaml.ts';
import { documentFacts } from '../document-facts.ts';
import { Journal } from '../journal.ts';
import { fieldOf, textOf } from '../tree/edit.ts';
import { grow } from '../tree/grow.ts';
import type { MapTree } from '../tree/tree.ts';
import { adaptedArgs } from './adapted-args.ts';
import type { Site } from './site.ts';

function treeOf(text: string): MapTree {
  const yaml = readYaml(text);
  const grown = 'error' in yaml || yaml.node.kind !== 'map' ? undefined : grow(text, yaml.node);
  if (grown === undefined) throw new Error('no document');
  return grown.root;
}

const ROOT = treeOf(`
workflow:
  - { step: fetch, tool: { kind: http } }
  - { step: rows, tool: postgres }
  - { step: each, loop: { in: [], iterator: item }, tool: python }
  - { step: calc, tool: { kind: python } }
`);

const SITE: Site = { at: 'task', step: 'calc', before: [{ label: 'load', kind: 'http' }] };

const given = (value: string, code: string, dialect: 'case-003' | 'v10' = 'case-003'): string | undefined => {
  const task = treeOf(`kind: python\nargs: { x: "{{ ${value} }}" }\ncode: |\n  ${code}\n`);
  const adapted = adaptedArgs(task, SITE, documentFacts(ROOT, [{ dialect, evidence: [] }]), new Journal('p', ''));
  const args = fieldOf(adapted, 'args');
  return args?.kind === 'map' ? textOf(fieldOf(args, 'x'))?.slice(3, -3) : undefined;
};

it.each([
  ['fetch', "ok = x.get('status_code', 0) == 200", 'dict(results.fetch, status_code=results.fetch.status)'],
  [
    'fetch',
    'a = x["body"]; b = x["status_code"]',
    'dict(results.fetch, status_code=results.fetch.status, body=results.fetch.data)',
  ],
  ['fetch', "rows = x.get('data', {}).get('rows')", 'fetch'],
  [
    'rows',
    "n = x.get('data', {}).get('command_0')",
    'dict(results.rows, data=dict(results.rows, result=results.rows.rows))',
  ],
  ['rows', "n = x.get('command_0', {}).get('rows')", 'rows'],
  ['each', "n = len(x.get('results', []))", "{'results': results.each}"],
  [
    'each',
    "assert 'stats' in x",
    "{'stats': {'total': results.each | length, 'success': results.each | reject('none') | list | length, 'failed': results.each | select('none') | list | length}}",
  ],
  ['each', 'n = len(x)', 'each'],
  ['calc', "n = x.get('status_code')", 'calc'],
  ['load', "n = x['status_code']", 'dict(_prev, status_code=_prev.status)'],
  ['fetch.data', "n = x.get('status_code')", 'fetch.data'],
])('code that is given {{ %s }} and says %s gets %s', (value, code, expected) => {
  expect(given(value, code)).toBe(expected);
});

it('a canonical playbook is left alone', () => {
  expect(given('fetch', "n = x.get('status_code')", 'v10')).toBe('fetch');
});
