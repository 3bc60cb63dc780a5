import type { Field, FieldGroups, KindSchema } from '../kinds/kind-schema.ts';
import { KINDS, kindSchema } from '../kinds/kinds.ts';
import { DOCUMENT_LIMITS } from '../limits.ts';
import type { Task } from '../model/playbook.ts';
import type { Templated } from '../model/templated.ts';
import { KINDS_WITH_OWN_NAME, TASK_KEYS, TASK_SPEC_KEYS } from '../model/vocabulary.ts';
import { entryOf, type MapNode, type Span, type YamlNode } from '../yaml/node.ts';
import { readLayer } from './read-layer.ts';
import { type PolicyScope, readPolicy } from './read-policy.ts';
import { describe, isTemplateText, orList, type Reading, type Replacements } from './reading.ts';

const migrate = 'noetl migrate rewrites it.';
const REPLACED: Replacements = {
  input: { code: 'NOETL_LEGACY', hint: `Pass values with args; ${migrate}` },
  output: { code: 'NOETL_LEGACY', hint: `Read outcome.result in the task's policy; ${migrate}` },
  set: { code: 'NOETL_LEGACY', hint: `Use spec.policy.rules with set_ctx; ${migrate}` },
  eval: { code: 'NOETL_LEGACY', hint: `Use spec.policy.rules with when and then; ${migrate}` },
  expr: { code: 'NOETL_LEGACY', hint: `The only conditional keyword is when; ${migrate}` },
  retry: { code: 'NOETL_LEGACY', hint: `Use a rule with do: retry; ${migrate}` },
  sink: { code: 'NOETL_LEGACY', hint: `Store with a task of its own; ${migrate}` },
  with: { code: 'NOETL_LEGACY', hint: `Pass values with args; ${migrate}` },
  payload: {
    code: 'NOETL_LEGACY',
    hint: `A body is json, form or body; the payload of a playbook is args; ${migrate}`,
  },
  data: { code: 'NOETL_LEGACY', hint: `A body is json, form or body; ${migrate}` },
  endpoint: { code: 'NOETL_LEGACY', hint: `The address is url; ${migrate}` },
  script: { code: 'NOETL_LEGACY', hint: `Code from a file is file; ${migrate}` },
  credential: { code: 'NOETL_LEGACY', hint: `The credential is named by auth; ${migrate}` },
  return_step: {
    code: 'NOETL_LEGACY',
    hint: `The child names its result itself: executor.spec.result_step; ${migrate}`,
  },
  timeout: { code: 'NOETL_KEY_UNKNOWN', hint: 'Knobs live under spec: spec.timeout.' },
  policy: { code: 'NOETL_KEY_UNKNOWN', hint: 'It belongs under spec: spec.policy.' },
};

interface RawTask {
  readonly label: string;
  readonly labelSpan: Span;
  readonly body: YamlNode;
  /** Whether `name` gave the label and is therefore no field. */
  readonly named: boolean;
}

/** DOC-6: one task, a list of tasks, or a list of one-key maps from label to task; always a labelled list afterwards. */
export function readPipeline(
  node: YamlNode,
  what: string,
  loop: PolicyScope['loop'],
  reading: Reading,
): readonly Task[] {
  const nodes = node.kind === 'list' ? node.items : [node];
  if (node.kind === 'list' && nodes.length === 0) {
    reading.problems.error('NOETL_TYPE', node.span, `${what} is an empty list`, 'Give it a task, or remove the key.');
  }
  if (nodes.length > DOCUMENT_LIMITS.tasksPerStep) {
    reading.problems.error(
      'NOETL_LIMIT',
      node.span,
      `${what} has ${nodes.length} tasks, the limit is ${DOCUMENT_LIMITS.tasksPerStep}`,
    );
    return [];
  }
  const raw = nodes.flatMap((item, i) => rawTask(item, node.kind === 'list' ? `${what}[${i}]` : what, i, reading));
  const labels = raw.map(({ label }) => label);
  const seen = new Set<string>();
  for (const { label, labelSpan } of raw) {
    if (seen.has(label)) {
      reading.problems.error(
        'NOETL_LABEL_DUPLICATE',
        labelSpan,
        `the label '${label}' stands in this pipeline twice`,
        'Labels are the targets of jumps and must be unique.',
      );
    }
    seen.add(label);
  }
  return raw.flatMap((task) => readTask(task, { labels, loop }, reading) ?? []);
}

/** A task whose label is given from outside, as in the mapping form of the workbook. */
export function readLabelledTask(label: string, labelSpan: Span, body: YamlNode, reading: Reading): Task | undefined {
  return readTask({ label, labelSpan, body, named: false }, { labels: [label], loop: 'sequential' }, reading);
}

function rawTask(node: YamlNode, what: string, index: number, reading: Reading): RawTask[] {
  if (node.kind !== 'map') {
    const hint = node.kind === 'scalar' ? `Write tool: { kind: ${String(node.value)}, … }; ${migrate}` : undefined;
    reading.problems.error('NOETL_TYPE', node.span, `${what} is ${describe(node)}, expected a task`, hint);
    return [];
  }
  const fallback = `task_${index + 1}`;
  const only = node.entries[0];
  // A label may be the word 'kind' too: the kind of a task is never a mapping.
  if (node.entries.length === 1 && only !== undefined && (only.key !== 'kind' || only.value.kind === 'map')) {
    return [{ label: only.key, labelSpan: only.keySpan, body: only.value, named: false }];
  }
  const kind = entryOf(node, 'kind')?.value;
  const ownName = kind?.kind === 'scalar' && typeof kind.value === 'string' && KINDS_WITH_OWN_NAME.includes(kind.value);
  const name = ownName ? undefined : entryOf(node, 'name');
  const label = name === undefined ? fallback : (reading.text(name.value, `${what}.name`) ?? fallback);
  return [{ label, labelSpan: name?.value.span ?? node.span, body: node, named: name !== undefined }];
}

function readTask({ label, body, named }: RawTask, scope: PolicyScope, reading: Reading): Task | undefined {
  const what = `the task '${label}'`;
  const map = reading.map(body, what);
  if (map === undefined) return undefined;
  const entry = reading.required(map, 'kind', what, `Kinds are: ${KINDS.join(', ')}.`);
  const kind = entry && reading.text(entry.value, `the kind of ${what}`);
  if (entry === undefined || kind === undefined) return undefined;
  const schema = kindSchema(kind);
  if (schema === undefined) {
    const hint = reading.problems.suggest(kind, KINDS) ?? `Kinds are: ${KINDS.join(', ')}.`;
    reading.problems.error('NOETL_TASK_KIND_UNKNOWN', entry.value.span, `${what} has the unknown kind '${kind}'`, hint);
    return undefined;
  }
  return readKnownTask(label, map, schema, named, scope, reading);
}

function readKnownTask(
  label: string,
  map: MapNode,
  schema: KindSchema,
  named: boolean,
  scope: PolicyScope,
  reading: Reading,
): Task {
  const what = `the task '${label}' (${schema.kind})`;
  const names = Object.keys(schema.fields);
  reading.keys(map, what, [...TASK_KEYS, ...names, ...(named ? ['name'] : [])], REPLACED);
  const spec = entryOf(map, 'spec');
  const specMap = spec && reading.map(spec.value, `spec of ${what}`);
  const policy = specMap && entryOf(specMap, 'policy');
  const desc = entryOf(map, 'desc');
  const auth = entryOf(map, 'auth');
  const args = entryOf(map, 'args');
  if (args !== undefined && !isTemplateText(args.value)) reading.map(args.value, `args of ${what}`);
  if (auth !== undefined && !isAuth(auth.value))
    reading.wrongType(auth.value, `auth of ${what}`, 'the name of a credential');
  return {
    label,
    kind: schema.kind,
    desc: desc && reading.text(desc.value, `desc of ${what}`),
    auth: auth && reading.templated(auth.value),
    args: args && reading.templated(args.value),
    fields: readFields(map, schema.fields, what, named, reading, schema.groups),
    spec: readLayer(specMap, `spec of ${what}`, TASK_SPEC_KEYS, reading),
    policy: policy && readPolicy(policy.value, `the policy of ${what}`, scope, reading),
    place: reading.place(map.span),
  };
}

/** The name of a credential, a template that gives it, or a mapping where a tool takes several. */
const isAuth = (node: YamlNode): boolean =>
  node.kind === 'map' || (node.kind === 'scalar' && typeof node.value === 'string' && node.value !== '');

/** The fields of a kind or keychain entry, checked against their schema. */
export function readFields(
  map: MapNode,
  fields: Readonly<Record<string, Field>>,
  what: string,
  named: boolean,
  reading: Reading,
  groups: FieldGroups = {},
): Readonly<Record<string, Templated>> {
  const read: Record<string, Templated> = {};
  for (const [name, field] of Object.entries(fields)) {
    const entry = named && name === 'name' ? undefined : entryOf(map, name);
    if (entry === undefined) {
      if (field.required === true)
        reading.problems.error('NOETL_TASK_FIELD', firstLine(map), `${what} has no '${name}'`, field.description);
      continue;
    }
    checkField(entry.value, field, `'${name}' of ${what}`, reading);
    read[name] = field.verbatim === true ? reading.verbatim(entry.value) : reading.templated(entry.value);
  }
  checkGroups(map, groups, what, reading);
  return read;
}

function checkGroups(map: MapNode, groups: FieldGroups, what: string, reading: Reading): void {
  const error = (message: string, hint: string) =>
    reading.problems.error('NOETL_TASK_FIELD', firstLine(map), `${what} ${message}`, hint);
  const has = (name: string) => entryOf(map, name) !== undefined;
  for (const group of groups.exactlyOne ?? []) {
    if (!group.some(has)) error(`has none of ${orList(group)}`, 'It needs exactly one of them.');
  }
  for (const group of [...(groups.exactlyOne ?? []), ...(groups.atMostOne ?? [])]) {
    const [first, second] = group.flatMap((name) => entryOf(map, name) ?? []);
    if (first !== undefined && second !== undefined) {
      const message = `${what} has both '${first.key}' and '${second.key}'`;
      reading.problems.error('NOETL_TASK_FIELD', second.keySpan, message, 'It takes one of them.');
    }
  }
  for (const [a, b] of groups.together ?? []) {
    if (has(a) !== has(b)) error(`has only one of '${a}' and '${b}'`, 'They go together.');
  }
  for (const { field, is, needs } of groups.needs ?? []) {
    const value = entryOf(map, field)?.value;
    if (value?.kind === 'scalar' && value.value === is && !has(needs)) {
      error(`has '${field}: ${is}' but no '${needs}'`, `Add ${needs}.`);
    }
  }
}

const firstLine = (map: MapNode): Span => ({ start: map.span.start, end: map.span.start + 1 });

/** Literals are checked; what a template yields is known only when it runs (DOC-11). */
function checkField(node: YamlNode, field: Field, what: string, reading: Reading): void {
  if (isTemplateText(node) && field.verbatim !== true) return;
  if (field.values !== undefined) {
    reading.oneOf(node, what, field.values);
    return;
  }
  const value = node.kind === 'scalar' ? node.value : undefined;
  switch (field.type) {
    case 'text':
      if (typeof value !== 'string' && typeof value !== 'number') reading.wrongType(node, what, 'text');
      return;
    case 'integer':
      if (typeof value !== 'number' || !Number.isInteger(value)) reading.wrongType(node, what, 'an integer');
      return;
    case 'number':
      if (typeof value !== 'number') reading.wrongType(node, what, 'a number');
      return;
    case 'boolean':
      if (typeof value !== 'boolean') reading.wrongType(node, what, 'true or false');
      return;
    case 'map':
      if (node.kind !== 'map') reading.wrongType(node, what, 'a mapping');
      return;
    case 'list':
      if (node.kind !== 'list') reading.wrongType(node, what, 'a list');
      return;
    case 'text-list':
      if (node.kind === 'list')
        for (const item of node.items) checkField(item, { ...field, type: 'text' }, `an item of ${what}`, reading);
      else if (typeof value !== 'string') reading.wrongType(node, what, 'a list of texts');
      return;
    case 'any':
      return;
  }
}
