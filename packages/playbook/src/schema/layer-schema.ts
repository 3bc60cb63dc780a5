import { KIND_SCHEMAS, KINDS } from '../kinds/kinds.ts';
import { INHERITED_SPEC_KEYS, LIMIT_KEYS, RESULT_KEYS, STORE_KEYS, STORES, TIMEOUT_KEYS } from '../model/vocabulary.ts';
import { closed, ref, type Schema, seconds, text, word } from './building-blocks.ts';

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

/** A layer's values are fixed when the playbook is registered. */
const FIXED: Schema = { not: { type: 'string', pattern: '\\{[{%#]' } };

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
        anyOf: [{ type: ['string', 'number'], minLength: 1, ...FIXED }, storeSchema()],
        examples: ['file', { kind: 'gcs', bucket: 'results' }],
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

function storeSchema(): Schema {
  return closed(
    STORE_KEYS,
    {
      kind: word(
        STORES,
        {
          file: 'Files on the machine of the server.',
          postgres: 'A table in PostgreSQL.',
          nats_object: 'An object store in NATS.',
          gcs: 'A bucket in Google Cloud Storage.',
        },
        'The kind of store.',
      ),
      bucket: text('The bucket, for stores that have buckets.', FIXED),
      table: text('The table, for postgres.', FIXED),
      prefix: text('What the keys of the results start with.', FIXED),
    },
    { required: ['kind'] },
  );
}
