import { KEYCHAIN_SCHEMAS } from '../kinds/keychain-kinds.ts';
import type { Executor, KeychainEntry, Metadata, Playbook, Task } from '../model/playbook.ts';
import type { MapData, Templated } from '../model/templated.ts';
import { EXECUTOR_KEYS, EXECUTOR_SPEC_KEYS, METADATA_KEYS, PROFILES, RUNTIME_VERSION } from '../model/vocabulary.ts';
import { entryOf, type MapNode, type YamlNode } from '../yaml/node.ts';
import { OLDER_KEYCHAIN_KEYS, older } from './older-keys.ts';
import { readFields } from './read-fields.ts';
import { readLayer, seconds } from './read-layer.ts';
import { readLabelledTask } from './read-task.ts';
import { describe, type Reading } from './reading.ts';

export function readMetadata(map: MapNode, reading: Reading): Metadata | undefined {
  reading.keys(map, 'metadata', METADATA_KEYS);
  const entry = reading.required(map, 'name', 'metadata', 'Name the playbook: metadata: { name: daily_report }.');
  const name = entry && reading.text(entry.value, 'metadata.name');
  const textOf = (key: string) => {
    const found = entryOf(map, key);
    return found && reading.text(found.value, `metadata.${key}`);
  };
  const path = textOf('path');
  const labels = entryOf(map, 'labels');
  const tags = entryOf(map, 'tags');
  const read = {
    version: textOf('version'),
    description: textOf('description'),
    labels: labels === undefined ? {} : readLabels(labels.value, reading),
    tags:
      tags === undefined
        ? []
        : (reading.list(tags.value, 'metadata.tags') ?? []).flatMap((tag) => reading.text(tag, 'a tag') ?? []),
  };
  return name === undefined ? undefined : { name, path: path ?? name, ...read };
}

function readLabels(node: YamlNode, reading: Reading): Readonly<Record<string, string>> {
  const map = reading.map(node, 'metadata.labels');
  return Object.fromEntries(
    (map?.entries ?? []).flatMap(({ key, value }) => {
      const label =
        value.kind === 'scalar' && typeof value.value === 'boolean'
          ? String(value.value)
          : reading.text(value, `metadata.labels.${key}`);
      return label === undefined ? [] : [[key, label]];
    }),
  );
}

export interface ExecutorReading {
  readonly executor: Executor;
  readonly entryStep: { readonly name: string; readonly node: YamlNode } | undefined;
  readonly resultStep: { readonly name: string; readonly node: YamlNode } | undefined;
}

/** DOC-10. */
export function readExecutor(map: MapNode | undefined, reading: Reading): ExecutorReading {
  if (map === undefined) {
    return {
      executor: { profile: 'local', executionTimeout: undefined, stepTimeout: undefined, spec: {} },
      entryStep: undefined,
      resultStep: undefined,
    };
  }
  reading.keys(map, 'executor', EXECUTOR_KEYS);
  const profile = entryOf(map, 'profile');
  const version = entryOf(map, 'version');
  if (version !== undefined && !(version.value.kind === 'scalar' && version.value.value === RUNTIME_VERSION)) {
    const message = `executor.version is ${describe(version.value)}, expected '${RUNTIME_VERSION}'`;
    const { hint } = older(`Write ${RUNTIME_VERSION}, or leave it out`);
    reading.problems.error('NOETL_VALUE', version.value.span, message, hint);
  }
  const spec = entryOf(map, 'spec');
  const specMap = spec && reading.map(spec.value, 'executor.spec');
  const value = (key: string) => (specMap === undefined ? undefined : entryOf(specMap, key)?.value);
  const stepNamed = (key: string) => {
    const node = value(key);
    const name = node && reading.text(node, `executor.spec.${key}`);
    return node === undefined || name === undefined ? undefined : { name, node };
  };
  const [execution, step] = [value('execution_timeout'), value('step_timeout')];
  return {
    executor: {
      profile: (profile && reading.oneOf(profile.value, 'executor.profile', PROFILES)) ?? 'local',
      executionTimeout: execution && seconds(execution, 'executor.spec.execution_timeout', reading),
      stepTimeout: step && seconds(step, 'executor.spec.step_timeout', reading),
      spec: readLayer(specMap, 'executor.spec', EXECUTOR_SPEC_KEYS, reading),
    },
    entryStep: stepNamed('entry_step'),
    resultStep: stepNamed('result_step'),
  };
}

export function readKeychain(node: YamlNode, reading: Reading): readonly KeychainEntry[] {
  const names = new Set<string>();
  if (node.kind !== 'list') reading.doubts.names.add('keychain');
  return (reading.list(node, 'keychain', KEYCHAIN_SHAPE) ?? []).flatMap((item, i): KeychainEntry[] => {
    const what = `keychain[${i}]`;
    const map = reading.map(item, what, KEYCHAIN_SHAPE);
    if (map === undefined) {
      reading.doubts.names.add('keychain');
      return [];
    }
    const name = reading.required(map, 'name', what, 'Name it: templates read keychain.<name>.');
    const nameText = name && reading.text(name.value, `${what}.name`);
    const kindText = readKeychainKind(map, what, reading);
    const schema = kindText === undefined ? undefined : KEYCHAIN_SCHEMAS[kindText];
    if (name === undefined || nameText === undefined) {
      reading.doubts.names.add('keychain');
      return [];
    }
    if (names.has(nameText))
      reading.problems.error(
        'NOETL_VALUE',
        name.value.span,
        `the keychain has two entries named '${nameText}'`,
        'Rename one of them.',
      );
    names.add(nameText);
    const place = reading.place(map.span);
    // Its kind is wrong, which was reported; its name is declared all the same.
    if (kindText === undefined || schema === undefined) return [{ name: nameText, kind: '', fields: mapOf([]), place }];
    reading.keys(
      map,
      `the keychain entry '${nameText}' (${kindText})`,
      ['name', 'kind', ...Object.keys(schema.fields)],
      OLDER_KEYCHAIN_KEYS,
    );
    const fields = Object.entries(
      readFields(map, schema.fields, `the keychain entry '${nameText}'`, false, reading, schema.groups),
    );
    return [{ name: nameText, kind: kindText, fields: mapOf(fields), place }];
  });
}

const KEYCHAIN_KINDS = Object.keys(KEYCHAIN_SCHEMAS);
const KEYCHAIN_SHAPE = 'Write a list: keychain: [ { name: warehouse, kind: postgres_credential } ].';

function readKeychainKind(map: MapNode, what: string, reading: Reading): string | undefined {
  const type = entryOf(map, 'kind') === undefined ? entryOf(map, 'type') : undefined;
  if (type !== undefined) {
    const { code, hint } = older(`The kind of an entry is kind: ${KEYCHAIN_KINDS.join(', ')}`);
    reading.problems.error(code, type.keySpan, `${what} has the key 'type'`, hint);
    return undefined;
  }
  const kinds = `Kinds are: ${KEYCHAIN_KINDS.join(', ')}.`;
  const kind = reading.required(map, 'kind', what, kinds);
  if (kind === undefined) return undefined;
  const secrets = kind.value.kind === 'scalar' && kind.value.value === 'secrets';
  const hint = secrets ? older('Secrets of a secret manager are kind: secret_manager').hint : kinds;
  return reading.oneOf(kind.value, `${what}.kind`, KEYCHAIN_KINDS, hint);
}

const mapOf = (entries: readonly (readonly [string, Templated])[]): MapData => ({ kind: 'map', entries });

/** Immutable defaults of the execution. */
export function readWorkload(node: YamlNode, reading: Reading): Playbook['workload'] {
  if (node.kind === 'scalar' && node.value === null) return { kind: 'literal', value: {} };
  const map = reading.map(node, 'workload', 'Write workload: { name: value }.');
  if (map === undefined) reading.doubts.names.add('workload');
  const data = map === undefined ? undefined : reading.templated(map);
  return data?.kind === 'map' || data?.kind === 'literal' ? data : { kind: 'literal', value: {} };
}

/** DOC-10: a mapping from name to task, or a list of named tasks. */
export function readWorkbook(node: YamlNode, reading: Reading): ReadonlyMap<string, Task> {
  const tasks = new Map<string, Task>();
  if (node.kind === 'scalar' && node.value === null) return tasks;
  if (node.kind === 'list') {
    for (const [i, item] of node.items.entries()) readWorkbookItem(item, `workbook[${i}]`, tasks, reading);
    return tasks;
  }
  if (node.kind !== 'map') {
    reading.problems.error(
      'NOETL_TYPE',
      node.span,
      `workbook is ${describe(node)}, expected a mapping from name to task, or a list`,
      'Write workbook: { clean: { kind: … } }.',
    );
    return tasks;
  }
  for (const { key, keySpan, value } of node.entries) {
    tasks.set(key, readLabelledTask(key, keySpan, value, reading));
  }
  return tasks;
}

/** `{name: clean, kind: …}` or `{clean: {kind: …}}`: here `name` is always the task's own. */
function readWorkbookItem(node: YamlNode, what: string, tasks: Map<string, Task>, reading: Reading): void {
  const map = reading.map(node, what, 'Write { name: clean, kind: … }.');
  if (map === undefined) return;
  const only = map.entries.length === 1 ? map.entries[0] : undefined;
  const name =
    only === undefined ? reading.required(map, 'name', what, 'Tasks of the workbook are called by name.') : undefined;
  const label = only?.key ?? (name && reading.text(name.value, `${what}.name`));
  if (label === undefined) return;
  const span = only?.keySpan ?? name?.value.span ?? map.span;
  if (tasks.has(label)) {
    reading.problems.error(
      'NOETL_LABEL_DUPLICATE',
      span,
      `the workbook has two tasks named '${label}'`,
      'Rename one of them.',
    );
  }
  const body = only?.value ?? { ...map, entries: map.entries.filter((entry) => entry !== name) };
  tasks.set(label, readLabelledTask(label, span, body, reading));
}
