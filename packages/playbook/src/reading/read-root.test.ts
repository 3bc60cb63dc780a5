import { describe, expect, it } from 'vitest';
import { checkDocuments } from '../document-cases.testing.ts';
import { HEAD, playbookOf, STEPS } from '../reading-playbooks.testing.ts';

describe('DOC-3: metadata', () => {
  const metadata = (text: string) => `apiVersion: noetl.io/v2\nkind: Playbook\nmetadata: ${text}\n${STEPS}`;
  checkDocuments([
    ['only a name', metadata('{ name: x }'), []],
    [
      'everything',
      metadata('{ name: x, path: a/b, version: 1.0, description: d, labels: { a: b, n: 1, on: true }, tags: [t, 2] }'),
      [],
    ],
    ['missing', `apiVersion: noetl.io/v2\nkind: Playbook\n${STEPS}`, ['NOETL_REQUIRED 1:1']],
    ['no mapping', metadata('x'), ['NOETL_TYPE 3:11']],
    ['no name', metadata('{ path: a }'), ['NOETL_REQUIRED 3:11']],
    ['an empty name', metadata('{ name: "" }'), ['NOETL_TYPE 3:19']],
    ['a list as name', metadata('{ name: [a] }'), ['NOETL_TYPE 3:19']],
    ['an unknown key', metadata('{ name: x, owner: me }'), ['NOETL_KEY_UNKNOWN 3:22']],
    ['labels that are a list', metadata('{ name: x, labels: [a] }'), ['NOETL_TYPE 3:30']],
    ['a label that is a mapping', metadata('{ name: x, labels: { a: {} } }'), ['NOETL_TYPE 3:35']],
    ['tags that are text', metadata('{ name: x, tags: a }'), ['NOETL_TYPE 3:28']],
    ['a tag that is a list', metadata('{ name: x, tags: [a, []] }'), ['NOETL_TYPE 3:32']],
  ]);

  it('path defaults to name, and numbers stay as they are written', () => {
    expect(playbookOf(metadata('{ name: x }')).metadata).toMatchObject({ name: 'x', path: 'x', labels: {}, tags: [] });
    expect(playbookOf(metadata('{ name: 2024, path: a/b, version: 1.10 }')).metadata).toMatchObject({
      name: '2024',
      path: 'a/b',
      version: '1.10',
    });
  });
});

describe('DOC-10: keychain, workbook, executor', () => {
  const root = (text: string) => `${HEAD}${text}\n${STEPS}`;
  checkDocuments([
    [
      'a keychain',
      root('keychain: [{ name: a, kind: bearer, token: "{{ workload }}" }, { name: b, kind: credential }]'),
      [],
    ],
    ['a keychain that is a mapping', root('keychain: { a: {} }'), ['NOETL_TYPE 4:11']],
    ['an entry without name', root('keychain: [{ kind: credential }]'), ['NOETL_REQUIRED 4:12']],
    ['an entry without kind', root('keychain: [{ name: a }]'), ['NOETL_REQUIRED 4:12']],
    ['an entry of an unknown kind', root('keychain: [{ name: a, kind: bearr }]'), ['NOETL_VALUE 4:29']],
    ['an entry without its field', root('keychain: [{ name: a, kind: bearer }]'), ['NOETL_TASK_FIELD 4:12']],
    [
      'an entry with an unknown field',
      root('keychain: [{ name: a, kind: bearer, token: t, ttl: 1 }]'),
      ['NOETL_KEY_UNKNOWN 4:47'],
    ],
    [
      'two entries of one name',
      root('keychain: [{ name: a, kind: credential }, { name: a, kind: credential }]'),
      ['NOETL_VALUE 4:51'],
    ],
    ['a workbook by name', root('workbook: { clean: { kind: noop } }'), []],
    ['a workbook as a list', root('workbook: [{ name: clean, kind: noop }, { wash: { kind: noop } }]'), []],
    ['a workbook that is text', root('workbook: x'), ['NOETL_TYPE 4:11']],
    ['a task of the workbook that is wrong', root('workbook: { clean: { kind: http } }'), ['NOETL_TASK_FIELD 4:20']],
    [
      'the same name twice in a workbook list',
      root('workbook: [{ name: a, kind: noop }, { name: a, kind: noop }]'),
      ['NOETL_LABEL_DUPLICATE 4:45'],
    ],
    [
      'an executor',
      root(
        'executor: { profile: distributed, version: noetl-runtime/2, spec: { timeout: 5, execution_timeout: 60, step_timeout: 9, result: { store: file } } }',
      ),
      [],
    ],
    ['an unknown profile', root('executor: { profile: cloud }'), ['NOETL_VALUE 4:22']],
    ['another runtime', root('executor: { version: noetl-runtime/1 }'), ['NOETL_VALUE 4:22']],
    ['an unknown key of the executor', root('executor: { name: x }'), ['NOETL_KEY_UNKNOWN 4:13']],
    ['an unknown key of its spec', root('executor: { spec: { pool: x } }'), ['NOETL_KEY_UNKNOWN 4:21']],
    ['a timeout of 0', root('executor: { spec: { timeout: 0 } }'), ['NOETL_VALUE 4:30']],
    ['an execution_timeout that is text', root('executor: { spec: { execution_timeout: 1h } }'), ['NOETL_VALUE 4:40']],
    ['a workload that is a list', root('workload: [1]'), ['NOETL_TYPE 4:11']],
    ['an empty workload', root('workload:'), []],
  ]);

  it('a workbook is a mapping afterwards, whichever way it was written', () => {
    const names = (text: string) =>
      [...playbookOf(root(text)).workbook].map(([name, task]) => [name, task.label, task.kind]);
    const expected = [
      ['clean', 'clean', 'noop'],
      ['wash', 'wash', 'noop'],
    ];
    expect(names('workbook: { clean: { kind: noop }, wash: { kind: noop } }')).toEqual(expected);
    expect(names('workbook: [{ name: clean, kind: noop }, { name: wash, kind: noop }]')).toEqual(expected);
    expect(names('workbook: [{ clean: { kind: noop } }, { wash: { kind: noop } }]')).toEqual(expected);
  });
});
