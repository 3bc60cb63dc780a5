import { describe, expect, it } from 'vitest';
import { HEAD, playbookOf } from '../reading-playbooks.testing.ts';
import { effectiveSpec } from './effective-spec.ts';

interface Layers {
  readonly executor?: string;
  readonly step?: string;
  readonly loop?: string;
  readonly inner?: string;
  readonly task?: string;
}

/** The spec of an http task with these layers around it. */
function specOf({ executor = '{}', step = '{}', loop, inner, task = '{}' }: Layers): unknown {
  const nested = inner === undefined ? '' : `, loop: { in: "{{ iter.i }}", iterator: j, spec: ${inner} }`;
  const playbook = playbookOf(`${HEAD}executor: { spec: ${executor} }
workflow:
  - step: start
    spec: ${step}
${loop === undefined ? '' : `    loop: { in: [[1]], iterator: i, spec: ${loop}${nested} }\n`}    tool: { kind: http, url: u, spec: ${task} }
`);
  const [only] = playbook.workflow;
  const [first] = only?.tasks ?? [];
  if (only === undefined || first === undefined) throw new Error('no task');
  return effectiveSpec(playbook, only, first);
}

describe('DOC-14: layers of spec', () => {
  it.each<[string, Layers, unknown]>([
    ['nothing', {}, {}],
    ['executor alone', { executor: '{ timeout: 1 }' }, { timeout: 1 }],
    ['step over executor', { executor: '{ timeout: 1 }', step: '{ timeout: 2 }' }, { timeout: 2 }],
    ['loop over step', { step: '{ timeout: 2 }', loop: '{ timeout: 3 }' }, { timeout: 3 }],
    ['inner loop over outer loop', { loop: '{ timeout: 3 }', inner: '{ timeout: 4 }' }, { timeout: 4 }],
    [
      'task over all',
      { executor: '{ timeout: 1 }', step: '{ timeout: 2 }', loop: '{ timeout: 3 }', task: '{ timeout: 5 }' },
      { timeout: 5 },
    ],
    [
      'maps merge',
      { executor: '{ timeout: { connect: 1, read: 2 } }', task: '{ timeout: { read: 3 } }' },
      { timeout: { connect: 1, read: 3 } },
    ],
    ['a scalar replaces a map', { executor: '{ timeout: { connect: 1 } }', task: '{ timeout: 3 }' }, { timeout: 3 }],
    [
      'a map replaces a scalar',
      { executor: '{ timeout: 3 }', task: '{ timeout: { read: 1 } }' },
      { timeout: { read: 1 } },
    ],
    [
      'other keys stay',
      { executor: '{ result: { store: gcs } }', task: '{ timeout: 3 }' },
      { result: { store: 'gcs' }, timeout: 3 },
    ],
    ['the layer of the kind applies', { executor: '{ http: { timeout: 7 } }' }, { timeout: 7 }],
    ['the layer of another kind does not', { executor: '{ postgres: { timeout: 7 } }' }, {}],
    [
      'the layer of the kind lies below plain keys',
      { executor: '{ timeout: 1, http: { timeout: 7 } }' },
      { timeout: 1 },
    ],
    ['but above outer layers', { executor: '{ timeout: 1 }', step: '{ http: { timeout: 7 } }' }, { timeout: 7 }],
    [
      'what belongs to a scope is not inherited',
      { step: '{ pool: gpu, join: any, step_timeout: 9 }', loop: '{ mode: parallel, max_in_flight: 2 }' },
      {},
    ],
    ['nor a policy', { task: '{ policy: { rules: [{ else: { then: { do: fail } } }] }, timeout: 1 }' }, { timeout: 1 }],
  ])('%s', (_title, layers, expected) => {
    expect(specOf(layers)).toEqual(expected);
  });

  it('lists replace, prototypes stay untouched', () => {
    const merged = specOf({
      executor: '{ result: { store: { kind: gcs, bucket: a } } }',
      task: '{ result: { store: { kind: gcs, prefix: b } } }',
    });
    expect(merged).toEqual({ result: { store: { kind: 'gcs', bucket: 'a', prefix: 'b' } } });
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
