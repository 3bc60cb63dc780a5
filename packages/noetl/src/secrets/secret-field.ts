import { Unresolved } from './unresolved.ts';

/** `NAME`, or `NAME#FIELD` for one field of a secret that has several. */
export interface SecretKey {
  readonly name: string;
  readonly field: string | undefined;
}

export function secretKey(key: string): SecretKey {
  const at = key.indexOf('#');
  return at === -1 ? { name: key, field: undefined } : { name: key.slice(0, at), field: key.slice(at + 1) };
}

/** The field of a secret; without one its only field, or the one called `value`. The names of fields are no secret. */
export function fieldOf(fields: Readonly<Record<string, unknown>>, { name, field }: SecretKey): string {
  const names = Object.keys(fields);
  const wanted = field ?? (names.length === 1 ? names[0] : 'value');
  if (wanted === undefined || !Object.hasOwn(fields, wanted)) {
    const there = names.length === 0 ? 'which has no fields' : `whose fields are ${names.join(', ')}`;
    const which = field === undefined ? `one of them, as in ${name}#FIELD` : `not '${field}'`;
    throw new Unresolved(`needs a field of the secret '${name}', ${there}: name ${which}.`);
  }
  const value = fields[wanted];
  return filled(typeof value === 'string' ? value : JSON.stringify(value ?? ''), name);
}

/** The secret itself, or a field of the JSON in it. */
export function textOrField(text: string, key: SecretKey): string {
  if (key.field === undefined) return filled(text, key.name);
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    fields = undefined;
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw new Unresolved(`needs the field '${key.field}' of the secret '${key.name}', which is no mapping in JSON.`);
  }
  return fieldOf(fields as Readonly<Record<string, unknown>>, key);
}

function filled(value: string, name: string): string {
  if (value === '' || value === '""') throw new Unresolved(`needs the secret '${name}', which is empty.`);
  return value;
}
