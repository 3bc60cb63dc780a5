import { KEYCHAIN_SCHEMAS } from '../kinds/keychain-kinds.ts';
import { closed, ref, type Schema, text, whenKey } from './building-blocks.ts';
import { fieldSchemas, groupSchemas, requiredFields } from './field-schema.ts';

const kinds = Object.keys(KEYCHAIN_SCHEMAS);

const ENTRY_PROPERTIES = {
  name: text('The name of the entry: what auth names and templates read as keychain.<name>.'),
  kind: {
    description: 'What kind of credential it is.',
    enum: kinds,
    enumDescriptions: Object.values(KEYCHAIN_SCHEMAS).map(({ summary }) => summary),
  },
} as const;

/** SEC-1. */
export const keychainSchema: Schema = {
  title: 'Keychain',
  description: 'The credentials of the playbook, resolved before it starts. Entries may use those before them.',
  type: 'array',
  items: {
    title: 'Entry of the keychain',
    description: 'A credential; its fields depend on its kind.',
    type: 'object',
    properties: ENTRY_PROPERTIES,
    required: ['name', 'kind'],
    allOf: kinds.map((kind) => whenKey('kind', [kind], ref(`keychain-${kind}`))),
  },
  examples: [[{ name: 'api_token', kind: 'secret_manager', provider: 'env', key: 'API_TOKEN' }]],
};

export const keychainDefinitions = (): Readonly<Record<string, Schema>> =>
  Object.fromEntries(
    Object.entries(KEYCHAIN_SCHEMAS).map(([kind, { summary, fields, groups }]) => [
      `keychain-${kind}`,
      closed<string>(
        ['name', 'kind', ...Object.keys(fields)],
        { ...ENTRY_PROPERTIES, kind: { description: summary, const: kind }, ...fieldSchemas(fields) },
        {
          title: `Entry of the kind ${kind}`,
          description: summary,
          required: ['name', 'kind', ...requiredFields(fields)],
          ...groupSchemas(groups),
        },
      ),
    ]),
  );
