import type { Json } from '@noetl/playbook';
import { isMap } from '../checked-fields.ts';

/** How a request shows who sends it. */
export interface Authorization {
  readonly headers: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * A text is a bearer token; `token` too; `username` and `password` are basic; `api_key` goes into `header` (X-API-Key),
 * or into the query parameter that `param` names. Undefined if the credential is none of these.
 */
export function authorizationOf(credential: Json): Authorization | undefined {
  if (typeof credential === 'string') return bearer(credential);
  if (!isMap(credential)) return undefined;
  const { token, access_token, username, user, password, api_key, header, param } = credential;
  const name = username ?? user;
  if (typeof (token ?? access_token) === 'string') return bearer(String(token ?? access_token));
  if (typeof name === 'string' && typeof password === 'string') return basic(name, password);
  if (typeof api_key !== 'string') return undefined;
  if (typeof param === 'string') return { headers: {}, params: { [param]: api_key } };
  return { headers: { [typeof header === 'string' ? header : 'X-API-Key']: api_key }, params: {} };
}

const bearer = (token: string): Authorization => ({ headers: { Authorization: `Bearer ${token}` }, params: {} });

export const basic = (user: string, password: string): Authorization => ({
  headers: { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
  params: {},
});
