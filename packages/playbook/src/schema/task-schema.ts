import type { KindSchema } from '../kinds/kind-schema.ts';
import { KIND_SCHEMAS, KINDS } from '../kinds/kinds.ts';
import { DOCUMENT_LIMITS } from '../limits.ts';
import type { Json } from '../model/json.ts';
import { KINDS_WITH_OWN_NAME, TASK_KEYS, TASK_SPEC_KEYS } from '../model/vocabulary.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import { closed, orTemplate, ref, type Schema, text, whenKey, without } from './building-blocks.ts';
import { fieldSchemas, groupSchemas, requiredFields } from './field-schema.ts';
import { layerSchema } from './layer-schema.ts';
import { plainJson } from './plain-json.ts';

const kindKey: Schema = {
  description: 'What the task does.',
  enum: KINDS,
  enumDescriptions: Object.values(KIND_SCHEMAS).map(({ summary }) => summary),
};

/** A task of one kind. Its label, where `name` gives it, is described by the form the task stands in. */
function kindTask(schema: KindSchema): Schema {
  const fields = fieldSchemas(schema.fields);
  return {
    ...closed<string>([...TASK_KEYS, ...Object.keys(fields)], {
      kind: { description: schema.summary, const: schema.kind },
      ...TASK_PROPERTIES,
      ...fields,
    }),
    title: `Task of the kind ${schema.kind}`,
    description: `${schema.summary} Result: ${schema.result}`,
    required: ['kind', ...requiredFields(schema.fields)],
    ...(Object.hasOwn(fields, 'name') ? {} : { patternProperties: { '^name$': {} } }),
    ...groupSchemas(schema.groups),
    examples: [exampleOf(schema)],
  };
}

const TASK_PROPERTIES: Readonly<Record<Exclude<(typeof TASK_KEYS)[number], 'kind'>, Schema>> = {
  desc: text('What the task is for, for people.'),
  auth: {
    description:
      'The credential to use: the name of an entry of the keychain, or a template that gives it; a mapping where a tool takes several.',
    type: ['string', 'object'],
    minLength: 1,
    examples: ['warehouse'],
  },
  args: orTemplate(
    { type: 'object' },
    { description: 'Values for the task, read as args.<key>.', examples: [{ city: '{{ iter.city }}' }] },
  ),
  spec: ref('task-spec'),
};

function exampleOf({ kind, example }: KindSchema): Json {
  const read = readYaml(example);
  if ('error' in read) throw new Error(`the example of ${kind} is no YAML: ${read.error.message}`);
  return plainJson(read.node);
}

const label = text('The label of the task, by which jumps find it; task_1, task_2, … otherwise.', {
  title: 'Label',
  examples: ['fetch'],
});

const pipeline: Schema = {
  title: 'Pipeline',
  description: 'Tasks that run one after another.',
  type: 'array',
  minItems: 1,
  maxItems: DOCUMENT_LIMITS.tasksPerStep,
  items: ref('pipeline-item'),
};

/** DOC-6: one task, a list of tasks, or a list of one-key mappings from label to task. */
export const toolSchema: Schema = {
  title: 'Tool',
  description: 'What the step does: one task, or a pipeline of tasks.',
  anyOf: [ref('pipeline-item'), pipeline],
  examples: [
    { kind: 'noop', result: 1 },
    [{ fetch: { kind: 'http', url: 'https://example.org/items' } }, { shape: { kind: 'noop', result: '{{ _prev }}' } }],
  ],
};

/** DOC-10. */
export const workbookSchema: Schema = {
  title: 'Workbook',
  description:
    'Tasks that steps run by name, with a task of the kind workbook: a mapping from name to task, or a list.',
  anyOf: [
    { type: 'object', additionalProperties: ref('labelled-task') },
    { type: 'array', items: ref('workbook-item') },
    { type: 'null' },
  ],
  examples: [{ clean_row: { kind: 'noop', result: '{{ args.row }}' } }],
};

export const taskDefinitions = (): Readonly<Record<string, Schema>> => ({
  'pipeline-item': {
    title: 'Task',
    description: 'A task, or a mapping from its label to the task.',
    type: 'object',
    properties: { kind: kindKey },
    if: { required: ['kind'] },
    then: {
      allOf: [ref('task'), whenKey('kind', KINDS_WITH_OWN_NAME, {}, { properties: { name: label } })],
    },
    else: {
      if: { minProperties: 1, maxProperties: 1 },
      then: { additionalProperties: ref('labelled-task') },
      else: { required: ['kind'] },
    },
  },
  'workbook-item': {
    title: 'Task of the workbook',
    description: 'A task with its name, or a mapping from its name to the task.',
    type: 'object',
    if: { maxProperties: 1 },
    then: { minProperties: 1, additionalProperties: ref('labelled-task') },
    else: { allOf: [ref('task'), { required: ['name'], properties: { name: label } }] },
  },
  'labelled-task': {
    type: 'object',
    allOf: [ref('task'), whenKey('kind', KINDS_WITH_OWN_NAME, {}, without(['name']))],
  },
  task: {
    title: 'Task',
    description: 'One call of a tool.',
    type: 'object',
    properties: { kind: kindKey },
    required: ['kind'],
    allOf: KINDS.map((kind) => whenKey('kind', [kind], ref(`task-${kind}`))),
  },
  ...Object.fromEntries(Object.values(KIND_SCHEMAS).map((schema) => [`task-${schema.kind}`, kindTask(schema)])),
  'task-spec': layerSchema(
    TASK_SPEC_KEYS,
    { policy: ref('policy') },
    'Spec of a task',
    'How the task runs: its policy, its timeout.',
  ),
});
