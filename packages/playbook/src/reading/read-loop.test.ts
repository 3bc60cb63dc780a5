import { describe, expect, it } from 'vitest';
import { checkDocuments } from '../document-cases.testing.ts';
import { HEAD, playbookOf, withSteps } from '../reading-playbooks.testing.ts';

describe('DOC-8: loop', () => {
  const loop = (text: string) => withSteps(`  - step: start\n    loop: ${text}\n    tool: { kind: noop }\n`);
  checkDocuments([
    ['in and iterator', loop('{ in: [1], iterator: item }'), []],
    ['a template', loop('{ in: "{{ workload }}", iterator: item }'), []],
    [
      'everything',
      loop(
        '{ in: [1], iterator: item, spec: { mode: parallel, max_in_flight: 3, policy: { exec: distributed, failure: best_effort } } }',
      ),
      [],
    ],
    [
      'an inner loop that uses iter',
      loop('{ in: [[1]], iterator: row, loop: { in: "{{ iter.row }}", iterator: cell } }'),
      [],
    ],
    ['no in', loop('{ iterator: item }'), ['NOETL_REQUIRED 6:11']],
    ['no iterator', loop('{ in: [1] }'), ['NOETL_REQUIRED 6:11']],
    ['an iterator that no template can read', loop('{ in: [1], iterator: my-item }'), ['NOETL_VALUE 6:32']],
    ['a name the iteration has already', loop('{ in: [1], iterator: index }'), ['NOETL_VALUE 6:32']],
    ['text', loop('items'), ['NOETL_TYPE 6:11']],
    ['an unknown key', loop('{ in: [1], iterator: i, chunk: 5 }'), ['NOETL_KEY_UNKNOWN 6:35']],
    ['the mode outside of spec', loop('{ in: [1], iterator: i, mode: parallel }'), ['NOETL_LEGACY 6:35']],
    [
      'an older name',
      loop('{ collection: [1], element: i }'),
      ['NOETL_REQUIRED 6:11', 'NOETL_REQUIRED 6:11', 'NOETL_LEGACY 6:13', 'NOETL_LEGACY 6:30'],
    ],
    ['an unknown mode', loop('{ in: [1], iterator: i, spec: { mode: async } }'), ['NOETL_VALUE 6:49']],
    ['max_in_flight of 0', loop('{ in: [1], iterator: i, spec: { max_in_flight: 0 } }'), ['NOETL_VALUE 6:58']],
    ['max_in_flight of 1.5', loop('{ in: [1], iterator: i, spec: { max_in_flight: 1.5 } }'), ['NOETL_VALUE 6:58']],
    ['an unknown exec', loop('{ in: [1], iterator: i, spec: { policy: { exec: remote } } }'), ['NOETL_VALUE 6:59']],
    [
      'an unknown failure',
      loop('{ in: [1], iterator: i, spec: { policy: { failure: ignore } } }'),
      ['NOETL_VALUE 6:62'],
    ],
    [
      'an unknown key of its policy',
      loop('{ in: [1], iterator: i, spec: { policy: { rules: [] } } }'),
      ['NOETL_KEY_UNKNOWN 6:53'],
    ],
    [
      'a problem in the inner loop',
      loop('{ in: [[1]], iterator: row, loop: { in: "{{ iter.row }}" } }'),
      ['NOETL_REQUIRED 6:45'],
    ],
    [
      'a loop that cannot be read leaves its tasks in peace',
      withSteps(
        '  - step: start\n    loop: [1]\n    tool: { kind: noop, result: "{{ iter.x }}", spec: { policy: { rules: [{ else: { then: { do: continue, set_iter: { a: 1 } } } }] } } }\n',
      ),
      ['NOETL_TYPE 6:11'],
    ],
    [
      'without a tool',
      withSteps('  - step: start\n    loop: { in: [1], iterator: i }\n    next: { arcs: [{ step: end }] }\n'),
      ['NOETL_REQUIRED 6:5'],
    ],
  ]);

  it('has the defaults of the language, and exec from the profile', () => {
    const read = (head: string) =>
      playbookOf(
        `${HEAD}${head}workflow:\n  - step: start\n    loop: { in: [1], iterator: i }\n    tool: { kind: noop }\n`,
      ).workflow[0]?.loop;
    expect(read('')).toMatchObject({
      mode: 'sequential',
      maxInFlight: 10,
      exec: 'local',
      failure: 'fail_fast',
      inner: undefined,
    });
    expect(read('executor: { profile: distributed }\n')).toMatchObject({ exec: 'distributed' });
  });

  it('nests', () => {
    const playbook = playbookOf(
      loop('{ in: [[1]], iterator: row, loop: { in: "{{ iter.row }}", iterator: cell, spec: { mode: parallel } } }'),
    );
    expect(playbook.workflow[0]?.loop?.inner).toMatchObject({ iterator: 'cell', mode: 'parallel' });
  });
});
