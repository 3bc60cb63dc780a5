import { type Field, type Json, type JsonMap, KEYCHAIN_SCHEMAS } from '@noetl/playbook';
import { didYouMean } from '@noetl/template';

/** A kind of credential that the store keeps: which fields it has, and which of them a plain text is. */
export interface StoredKind {
  readonly summary: string;
  /** Undefined for anything: a text, or a mapping of whatever fields. */
  readonly fields: Readonly<Record<string, Field>> | undefined;
  /** The field that a plain text stands for. */
  readonly text: string | undefined;
}

const { port, credential: _, ...postgres } = KEYCHAIN_SCHEMAS.postgres_credential?.fields ?? {};

const text = (description: string, more: Partial<Field> = {}): Field => ({ type: 'text', description, ...more });

export const STORED_KINDS: Readonly<Record<string, StoredKind>> = {
  secret: { summary: 'A text, or a mapping with fields of your own.', fields: undefined, text: undefined },
  bearer: { summary: 'A bearer token for http.', fields: KEYCHAIN_SCHEMAS.bearer?.fields, text: 'token' },
  basic: { summary: 'A user and a password for http.', fields: KEYCHAIN_SCHEMAS.basic?.fields, text: undefined },
  api_key: {
    summary: 'A key for http, in a header or a query parameter.',
    fields: {
      api_key: text('The key.', { required: true }),
      header: text('The header it is sent in.', { fallback: 'X-API-Key' }),
      param: text('The query parameter it is sent in, instead of a header.'),
    },
    text: 'api_key',
  },
  oauth2: {
    summary: 'A client whose tokens are fetched and renewed.',
    fields: KEYCHAIN_SCHEMAS.oauth2?.fields,
    text: undefined,
  },
  postgres: {
    summary: 'Access to a PostgreSQL database.',
    fields: { ...postgres, ...(port === undefined ? {} : { port }) },
    text: 'dsn',
  },
};

/** A value as the kind wants it, or what is wrong with it: the end of a sentence that begins with the credential. */
export type CheckedCredential = { readonly value: Json } | { readonly problem: string };

export function checkedCredential(kind: StoredKind, given: Json): CheckedCredential {
  if (given === '') return { problem: 'is empty.' };
  if (kind.fields === undefined) {
    return isMap(given) && Object.keys(given).length === 0 ? { problem: 'has no fields.' } : { value: given };
  }
  if (!isMap(given)) {
    if (kind.text !== undefined) return { value: { [kind.text]: given } };
    return { problem: `needs a JSON mapping with ${namesOf(kind.fields)}; a plain text is not enough.` };
  }
  const unknown = Object.keys(given).find((field) => kind.fields?.[field] === undefined);
  if (unknown !== undefined) {
    const near = didYouMean(unknown, Object.keys(kind.fields));
    return { problem: `has no field '${unknown}'. ${near ?? `Fields are: ${namesOf(kind.fields)}.`}` };
  }
  for (const [name, field] of Object.entries(kind.fields)) {
    const problem = fieldProblem(name, field, given[name]);
    if (problem !== undefined) return { problem };
  }
  return 'dsn' in kind.fields ? checkedPostgres(given) : { value: given };
}

function fieldProblem(name: string, field: Field, value: Json | undefined): string | undefined {
  if (value === undefined || value === '') return field.required === true ? `lacks '${name}'.` : undefined;
  if (field.type === 'integer') return isPort(value) ? undefined : `has a '${name}' that is no whole number.`;
  return typeof value === 'string' ? undefined : `has a '${name}' that is no text.`;
}

const isPort = (value: Json): boolean => Number.isInteger(typeof value === 'string' ? Number(value) : value);

/** Either everything in one connection string, or its parts. */
export function checkedPostgres(given: JsonMap): CheckedCredential {
  const { dsn, port: at = 5432, ...parts } = given;
  if (dsn !== undefined) {
    if (typeof dsn !== 'string' || dsn === '') return { problem: "has a 'dsn' that is no text." };
    const beside = Object.keys(given).find((field) => field !== 'dsn');
    return beside === undefined
      ? { value: { dsn } }
      : { problem: `has both 'dsn' and '${beside}'; one of them is enough.` };
  }
  const lacking = ['host', 'user', 'database'].find((field) => (parts[field] ?? '') === '');
  if (lacking !== undefined) return { problem: `lacks '${lacking}' (or a 'dsn' instead of all parts).` };
  const wrong = Object.keys(parts).find((field) => typeof parts[field] !== 'string');
  if (wrong !== undefined) return { problem: `has a '${wrong}' that is no text.` };
  if (!isPort(at)) return { problem: "has a 'port' that is no whole number." };
  return { value: { ...parts, port: Number(at) } };
}

const namesOf = (fields: Readonly<Record<string, Field>>): string => Object.keys(fields).join(', ');

const isMap = (value: Json): value is JsonMap => typeof value === 'object' && value !== null && !Array.isArray(value);
