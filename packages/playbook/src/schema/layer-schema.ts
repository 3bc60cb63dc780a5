import { KIND_SCHEMAS, KINDS } from '../kinds/kinds.ts';
import {
  INHERITED_SPEC_KEYS,
  LIMIT_KEYS,
  RESULT_KEYS,
  STORE_FIELDS,
  STORE_PLACES,
  STORES,
  TIMEOUT_KEYS,
} from '../model/vocabulary.ts';
import { closed, ref, type Schema, seconds, word } from './building-blocks.ts';

/** DOC-14: a scope's spec has its own keys, those that every scope knows, and one key for each kind. */
export const layerSchema = <Key extends string>(
  own: readonly Key[],
  properties: Readonly<Record<NoInfer<Key>, Schema>>,
  title: string,
  description: string,
): Schema =>
  closed<string>(
    [...own, ...INHERITED_SPEC_KEYS, ...KINDS],
    { ...Object.fromEntries(KINDS.map((kind) => [kind, ref(`spec-of-${kind}`)])), ...INHERITED, ...properties },
    { title, description },
  );

const INHERITED = { timeout: ref('timeout'), limits: ref('limits'), result: ref('result') } as const;

export const layerDefinitions = (): Readonly<Record<string, Schema>> => ({
  timeout: {
    title: 'Timeout',
    description: 'How many seconds one attempt of a task may take.',
    anyOf: [
      { type: 'number', exclusiveMinimum: 0 },
      closed(TIMEOUT_KEYS, {
        connect: seconds('Seconds until the connection stands.'),
        read: seconds('Seconds until the answer is there, once connected.'),
      }),
    ],
    examples: [30, { connect: 5, read: 60 }],
  },
  limits: closed(
    LIMIT_KEYS,
    {
      memory: { description: 'MiB of memory.', type: 'number', exclusiveMinimum: 0 },
      cpu: seconds('Seconds of CPU time.'),
    },
    { title: 'Limits', description: 'What the code of a task (python, javascript) may use.' },
  ),
  result: closed(
    RESULT_KEYS,
    {
      store: {
        description: 'The store: its name, or its kind and settings.',
        anyOf: [word(STORES, STORE_MEANINGS, 'The store in its usual place.'), ...STORES.map(storeSchema)],
        examples: ['postgres', { kind: 'nats_object', bucket: 'large-results' }],
      },
    },
    { title: 'Result', description: 'Where results that are too large for an event are kept.' },
  ),
  ...Object.fromEntries(
    Object.values(KIND_SCHEMAS).map(({ kind }) => [
      `spec-of-${kind}`,
      closed(INHERITED_SPEC_KEYS, INHERITED, {
        title: `Spec of ${kind}`,
        description: `For tasks of the kind ${kind} only; the plain keys beside it go over it.`,
      }),
    ]),
  ),
});

const STORE_MEANINGS = {
  file: 'Files in the data folder.',
  postgres: 'A table in PostgreSQL.',
  nats_object: 'An object store in NATS.',
  gcs: 'A bucket in Google Cloud Storage.',
} as const;

const PLACE_MEANINGS = {
  bucket: 'The bucket.',
  table: 'The table, or schema.table.',
  prefix: 'What the keys of the results start with.',
} as const;

function storeSchema(store: keyof typeof STORE_FIELDS): Schema {
  const places = STORE_FIELDS[store].map((field): [string, Schema] => [
    field,
    { description: PLACE_MEANINGS[field], type: 'string', pattern: STORE_PLACES[field].pattern },
  ]);
  const properties = { kind: { description: STORE_MEANINGS[store], const: store }, ...Object.fromEntries(places) };
  return closed<string>(['kind', ...STORE_FIELDS[store]], properties, { required: ['kind'] });
}
