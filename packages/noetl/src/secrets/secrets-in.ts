import type { Json } from '@noetl/playbook';
import type { Secret } from './redactor.ts';

/** SEC-3: what says where and who, and is no secret by itself. */
const OPEN: ReadonlySet<string> = new Set([
  'host',
  'hostname',
  'port',
  'user',
  'username',
  'database',
  'dbname',
  'schema',
  'scheme',
  'driver',
  'kind',
  'type',
  'header',
  'param',
  'scope',
  'audience',
  'token_url',
  'client_id',
  'url',
  'region',
  'account',
  'warehouse',
  'role',
]);

/** The texts and numbers of an entry that must not be seen: `name`, or `name.field`. */
export function secretsIn(name: string, value: Json): readonly Secret[] {
  if (typeof value === 'string' || typeof value === 'number') {
    return [{ name, value: String(value) }, ...passwordIn(name, String(value))];
  }
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item: Json, i) => secretsIn(`${name}.${i}`, item));
  return Object.entries(value as { readonly [key: string]: Json }).flatMap(([field, item]) => {
    const named = `${name}.${field}`;
    if (!OPEN.has(field.toLowerCase())) return secretsIn(named, item);
    return typeof item === 'string' ? passwordIn(named, item) : [];
  });
}

/** The password in an address is a secret by itself: `postgres://user:password@host`. */
function passwordIn(name: string, value: string): readonly Secret[] {
  const [, written] = /^[a-z][a-z\d+.-]*:\/\/[^/@:]*:([^/@]+)@/i.exec(value) ?? [];
  if (written === undefined) return [];
  const password = { name: `${name}.password`, value: written };
  const meant = decoded(written);
  return meant === written ? [password] : [password, { ...password, value: meant }];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
