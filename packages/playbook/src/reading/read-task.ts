import type { KindSchema } from '../kinds/kind-schema.ts';
import { KIND_SCHEMAS, KINDS, kindSchema } from '../kinds/kinds.ts';
import { DOCUMENT_LIMITS } from '../limits.ts';
import type { Task } from '../model/playbook.ts';
import type { Place, Templated } from '../model/templated.ts';
import { INHERITED_SPEC_KEYS, KINDS_WITH_OWN_NAME, TASK_KEYS, TASK_SPEC_KEYS } from '../model/vocabulary.ts';
import { entryOf, type MapNode, type Span, type YamlNode } from '../yaml/node.ts';
import { OLDER_TASK_KEYS, OLDER_TASK_SPEC_KEYS, older } from './older-keys.ts';
import { readFields } from './read-fields.ts';
import { readLayer } from './read-layer.ts';
import { type PolicyScope, readPolicy } from './read-policy.ts';
import { describe, hasTemplate, hasUnread, isTemplateText, type Reading } from './reading.ts';

const KINDS_ARE = `Kinds are: ${KINDS.join(', ')}.`;

interface RawTask {
  readonly label: string;
  readonly labelSpan: Span;
  /** Undefined if it is no task, which was reported. */
  readonly body: YamlNode | undefined;
  /** Whether `name` gave the label and is therefore no field. */
  readonly named: boolean;
}

/** DOC-6: one task, a list of tasks, or a list of one-key maps from label to task; always a labelled list afterwards. */
export function readPipeline(
  node: YamlNode,
  step: string,
  loop: PolicyScope['loop'],
  reading: Reading,
): readonly Task[] {
  const what = `tool of the step '${step}'`;
  const nodes = node.kind === 'list' ? node.items : [node];
  if (node.kind === 'list' && nodes.length === 0) {
    reading.problems.error('NOETL_TYPE', node.span, `${what} is an empty list`, 'Give it a task, or remove the key.');
  }
  if (nodes.length > DOCUMENT_LIMITS.tasksPerStep) {
    const message = `${what} has ${nodes.length} tasks, the limit is ${DOCUMENT_LIMITS.tasksPerStep}`;
    reading.problems.error(
      'NOETL_LIMIT',
      node.span,
      message,
      'Split it into several steps, or repeat tasks by a loop.',
    );
    reading.doubts.names.add('ctx');
    return [];
  }
  const raw = nodes.flatMap((item, i) => rawTasks(item, node.kind === 'list' ? `${what}[${i}]` : what, i, reading));
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
  return raw.map((task) => readTask(task, { step, labels, loop }, reading));
}

/** A task whose label is given from outside, as in the mapping form of the workbook. */
export function readLabelledTask(label: string, labelSpan: Span, body: YamlNode, reading: Reading): Task {
  return readTask(
    { label, labelSpan, body, named: false },
    { step: undefined, labels: [label], loop: 'sequential' },
    reading,
  );
}

/** The task with its label, whatever form it has; several where a mapping was written instead of a list. */
function rawTasks(node: YamlNode, what: string, index: number, reading: Reading): readonly RawTask[] {
  const fallback = `task_${index + 1}`;
  if (node.kind !== 'map') {
    reading.problems.error('NOETL_TYPE', node.span, `${what} is ${describe(node)}, expected a task`, taskHint(node));
    return [{ label: fallback, labelSpan: node.span, body: undefined, named: false }];
  }
  const only = node.entries[0];
  // A label may be the word 'kind' too: the kind of a task is never a mapping.
  if (node.entries.length === 1 && only !== undefined && (only.key !== 'kind' || only.value.kind === 'map')) {
    return [{ label: only.key, labelSpan: only.keySpan, body: only.value, named: false }];
  }
  if (node.entries.length > 1 && node.entries.every(({ value }) => isTask(value))) {
    const labels = node.entries.map(({ key }) => `- ${key}: { … }`).slice(0, 3);
    const hint = `Write one task an item: ${labels.join(' ')}${node.entries.length > 3 ? ' …' : ''}`;
    reading.problems.error('NOETL_TYPE', node.span, `${what} is a mapping of several tasks, expected a list`, hint);
    return node.entries.map(({ key, keySpan, value }) => ({
      label: key,
      labelSpan: keySpan,
      body: value,
      named: false,
    }));
  }
  const kind = entryOf(node, 'kind')?.value;
  const ownName = kind?.kind === 'scalar' && typeof kind.value === 'string' && KINDS_WITH_OWN_NAME.includes(kind.value);
  const name = ownName ? undefined : entryOf(node, 'name');
  const label = name === undefined ? fallback : (reading.text(name.value, `${what}.name`) ?? fallback);
  return [{ label, labelSpan: name?.value.span ?? node.span, body: node, named: name !== undefined }];
}

const isTask = (node: YamlNode): boolean => node.kind === 'map' && entryOf(node, 'kind') !== undefined;

function taskHint(node: YamlNode): string {
  if (node.kind === 'list') return 'Tasks stand directly in the list under tool.';
  const value = node.kind === 'scalar' ? node.value : null;
  if (typeof value !== 'string') return 'Write tool: { kind: … }, or remove the key.';
  return older(`Write tool: { kind: ${describe(node).slice(1, -1)}, … }`).hint;
}

/** What cannot be read was reported, and is a task all the same: it is there for jumps and calls. */
function readTask({ label, labelSpan, body, named }: RawTask, scope: PolicyScope, reading: Reading): Task {
  const what = `the task '${label}'`;
  const place = reading.place(body?.span ?? labelSpan);
  const map = body && reading.map(body, what, taskHint(body));
  if (map === undefined) return doubtful({ ...UNREADABLE, label, place }, reading);
  const wrapped = entryOf(map, 'kind') === undefined ? entryOf(map, 'tool') : undefined;
  if (wrapped !== undefined) {
    reading.keys(map, what, ['name', 'desc'], {
      tool: older('A task has no tool: write kind and its fields beside name'),
    });
    return readTask({ label, labelSpan: wrapped.keySpan, body: wrapped.value, named: false }, scope, reading);
  }
  return readBody(label, map, readKind(map, what, reading), named, scope, place, reading);
}

const UNREADABLE: Omit<Task, 'label' | 'place'> = {
  kind: '',
  desc: undefined,
  auth: undefined,
  args: undefined,
  fields: {},
  spec: {},
  policy: undefined,
};

function doubtful(task: Task, reading: Reading): Task {
  reading.doubts.tasks.add(task);
  reading.doubts.names.add('ctx');
  return task;
}

function readKind(map: MapNode, what: string, reading: Reading): KindSchema | undefined {
  const type = entryOf(map, 'kind') === undefined ? entryOf(map, 'type') : undefined;
  if (type !== undefined) {
    const { code, hint } = older('The kind of work is kind');
    reading.problems.error(code, type.keySpan, `${what} has the key 'type'`, hint);
  }
  const entry = type ?? reading.required(map, 'kind', what, KINDS_ARE);
  const kind = entry && reading.text(entry.value, `the kind of ${what}`);
  if (entry === undefined || kind === undefined) return undefined;
  const schema = kindSchema(kind);
  if (schema === undefined) {
    const hint = reading.problems.suggest(kind, KINDS) ?? KINDS_ARE;
    reading.problems.error('NOETL_TASK_KIND_UNKNOWN', entry.value.span, `${what} has the unknown kind '${kind}'`, hint);
  }
  return schema;
}

/** Everything of a task but its kind; without a known kind its fields are not judged, only what they hold. */
function readBody(
  label: string,
  map: MapNode,
  schema: KindSchema | undefined,
  named: boolean,
  scope: PolicyScope,
  place: Place,
  reading: Reading,
): Task {
  const what = schema === undefined ? `the task '${label}'` : `the task '${label}' (${schema.kind})`;
  const known = [...TASK_KEYS, ...Object.keys(schema?.fields ?? {}), ...(named ? ['name'] : []), 'type'];
  if (schema !== undefined) {
    reading.keys(map, what, entryOf(map, 'kind') === undefined ? known : known.slice(0, -1), OLDER_TASK_KEYS);
    if (hasUnread(map, known)) for (const source of ['ctx', 'args'] as const) reading.doubts.names.add(source);
  }
  const [desc, auth, args, spec] = ['desc', 'auth', 'args', 'spec'].map((key) => entryOf(map, key));
  const specMap = spec && reading.map(spec.value, `spec of ${what}`);
  const policy = specMap && entryOf(specMap, 'policy');
  if (args !== undefined && !isTemplateText(args.value)) checkArgs(args.value, `args of ${what}`, schema, reading);
  if (auth !== undefined && !isAuth(auth.value))
    reading.wrongType(auth.value, `auth of ${what}`, 'the name of a credential', 'Name an entry of the keychain.');
  if (auth !== undefined) noteCredentials(auth.value, reading);
  const rules = policy && reading.judged(() => readPolicy(policy.value, `the policy of ${what}`, scope, reading));
  const task: Task = {
    label,
    kind: schema?.kind ?? '',
    desc: desc && reading.text(desc.value, `desc of ${what}`),
    auth: auth && reading.templated(auth.value),
    args: args && reading.templated(args.value),
    fields:
      schema === undefined
        ? readUnknownFields(map, named, reading)
        : readFields(map, schema.fields, what, named, reading, schema.groups),
    spec: readLayer(specMap, `spec of ${what}`, TASK_SPEC_KEYS, reading, OLDER_TASK_SPEC_KEYS),
    policy: rules?.part,
    place,
    ...codePlace(map, schema, reading),
  };
  const unread = spec !== undefined && (specMap === undefined || hasUnread(specMap, TASK_LAYER_KEYS));
  return unread || rules?.sound === false ? doubtful(task, reading) : task;
}

/** In a literal block every line of the code is a line of the file; other styles fold lines, or write them as `\\n`. */
function codePlace(map: MapNode, schema: KindSchema | undefined, reading: Reading): Pick<Task, 'codeAt'> {
  const code = schema?.fields.code === undefined ? undefined : entryOf(map, 'code')?.value;
  if (code?.kind !== 'scalar') return {};
  const { line, column } = reading.place(code.span);
  const { lines } = reading.problems;
  const { start, end } = code.span;
  const byLine = code.style === 'block' && lines.source[start] === '|' && lines.inStep(start, end - 1);
  return { codeAt: byLine ? { line: line + 1, column: 1, byLine } : { line, column, byLine } };
}

const TASK_LAYER_KEYS: readonly string[] = [...TASK_SPEC_KEYS, ...INHERITED_SPEC_KEYS, ...KINDS];

function checkArgs(node: YamlNode, what: string, schema: KindSchema | undefined, reading: Reading): void {
  const list = node.kind === 'list' && schema?.fields.args_list !== undefined;
  const hint = list ? older('The arguments of a container are args_list').hint : 'Write args: { name: value }.';
  if (reading.map(node, what, hint) === undefined) reading.doubts.names.add('args');
}

/** Fields that some kind takes as they are written. */
const VERBATIM = new Set(
  Object.values(KIND_SCHEMAS).flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([name, { verbatim }]) => (verbatim === true ? [name] : [])),
  ),
);

/** What stands in a task of no known kind: which fields it has is not known, but their templates can be read. */
function readUnknownFields(map: MapNode, named: boolean, reading: Reading): Readonly<Record<string, Templated>> {
  const own: readonly string[] = [...TASK_KEYS, ...(named ? ['name'] : [])];
  const fields = map.entries.filter(({ key }) => !own.includes(key));
  return Object.fromEntries(
    fields.map(({ key, value }) => [key, VERBATIM.has(key) ? reading.verbatim(value) : reading.templated(value)]),
  );
}

function noteCredentials(node: YamlNode, reading: Reading): void {
  const names = node.kind === 'map' ? node.entries.map(({ value }) => value) : [node];
  for (const item of names) {
    if (item.kind !== 'scalar' || typeof item.value !== 'string' || hasTemplate(item.value)) continue;
    reading.credentials.push({ name: item.value, span: item.span });
  }
}

/** The name of a credential, a template that gives it, or a mapping where a tool takes several. */
const isAuth = (node: YamlNode): boolean =>
  node.kind === 'map' || (node.kind === 'scalar' && typeof node.value === 'string' && node.value !== '');
