import { describe } from 'vitest';
import { checkDocuments } from '../document-cases.testing.ts';
import { withSteps, withTask } from '../reading-playbooks.testing.ts';

describe('DOC-14: spec', () => {
  const spec = (text: string) => withTask(`{ kind: http, url: u, spec: ${text} }`);
  checkDocuments([
    ['a timeout in seconds', spec('{ timeout: 2.5 }'), []],
    ['a timeout in parts', spec('{ timeout: { connect: 1, read: 2 } }'), []],
    ['a timeout with an unknown part', spec('{ timeout: { total: 1 } }'), ['NOETL_KEY_UNKNOWN 6:52']],
    ['a timeout that is text', spec('{ timeout: 5s }'), ['NOETL_VALUE 6:50']],
    ['a timeout that is a template', spec('{ timeout: "{{ workload }}" }'), ['NOETL_VALUE 6:50']],
    ['a store by name', spec('{ result: { store: gcs } }'), []],
    ['a store with its fields', spec('{ result: { store: { kind: gcs, bucket: b } } }'), []],
    ['an unknown store by name', spec('{ result: { store: s3 } }'), ['NOETL_VALUE 6:58']],
    ['a table', spec('{ result: { store: { kind: postgres, table: archive.results } } }'), []],
    ['a table that is no name', spec('{ result: { store: { kind: postgres, table: "a b" } } }'), ['NOETL_VALUE 6:83']],
    ['a bucket', spec('{ result: { store: { kind: nats_object, bucket: large-ones } } }'), []],
    [
      'a bucket that is no name',
      spec('{ result: { store: { kind: nats_object, bucket: a.b } } }'),
      ['NOETL_VALUE 6:87'],
    ],
    ['a table of another kind', spec('{ result: { store: { kind: file, table: a } } }'), ['NOETL_KEY_UNKNOWN 6:72']],
    ['an unknown store', spec('{ result: { store: { kind: s3 } } }'), ['NOETL_VALUE 6:66']],
    ['limits of code', spec('{ limits: { memory: 512, cpu: 0.5 }, python: { limits: { cpu: 3 } } }'), []],
    ['an unknown limit', spec('{ limits: { disk: 1 } }'), ['NOETL_KEY_UNKNOWN 6:51']],
    ['a limit with a unit', spec('{ limits: { memory: 1GB } }'), ['NOETL_VALUE 6:59']],
    ['a limit of nothing', spec('{ limits: { cpu: 0 } }'), ['NOETL_VALUE 6:56']],
    ['limits that are no mapping', spec('{ limits: 5 }'), ['NOETL_TYPE 6:49']],
    ['a layer for a kind', spec('{ http: { timeout: 3 } }'), []],
    ['a layer with an unknown key', spec('{ http: { retries: 3 } }'), ['NOETL_KEY_UNKNOWN 6:49']],
    ['a layer for a kind inside of one', spec('{ http: { http: { timeout: 1 } } }'), ['NOETL_KEY_UNKNOWN 6:49']],
    ['what belongs to a step', spec('{ join: all }'), ['NOETL_KEY_UNKNOWN 6:41']],
    ['spec that is text', spec('fast'), ['NOETL_TYPE 6:39']],
    [
      'join, pool and step_timeout of a step',
      withSteps('  - step: start\n    spec: { join: any, pool: gpu, step_timeout: 5 }\n    tool: { kind: noop }\n'),
      [],
    ],
    [
      'a join of 0',
      withSteps('  - step: start\n    spec: { join: 0 }\n    tool: { kind: noop }\n'),
      ['NOETL_VALUE 6:19'],
    ],
    [
      'a join of a word',
      withSteps('  - step: start\n    spec: { join: both }\n    tool: { kind: noop }\n'),
      ['NOETL_VALUE 6:19'],
    ],
  ]);
});
