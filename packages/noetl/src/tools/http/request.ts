import type { Json, JsonMap } from '@noetl/playbook';
import { failed } from '../answer.ts';
import { textOf } from '../checked-fields.ts';
import { credentialOf } from '../credential.ts';
import type { ToolAnswer, ToolCall } from '../define-tool.ts';
import { type Authorization, authorizationOf, basic } from './authorization.ts';
import { isHeaderName, isHeaderValue } from './headers.ts';
import { multipartBody, type StreamedBody, UploadProblem } from './multipart.ts';

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | StreamedBody | undefined;
}

export type BuiltRequest = { readonly request: HttpRequest } | { readonly answer: ToolAnswer };

/** The request that the fields of a task describe. */
export async function requestOf(call: ToolCall, folder: string): Promise<BuiltRequest> {
  const { input, task, key, traceparent } = call;
  const refuse = (field: string, message: string): BuiltRequest => ({
    answer: failed('task.field', `'${field}' of the task '${task.label}' ${message}`, {
      details: { field },
    }),
  });
  const method = textOf(input.method ?? 'GET').toUpperCase();
  if (!isHeaderName(method)) return refuse('method', 'is no HTTP method.');
  const url = parseUrl(textOf(input.url ?? null));
  if (url === undefined) return refuse('url', 'is no address that begins with http:// or https://.');
  const found = credentialOf(call);
  if ('answer' in found) return found;
  const authorization = found.credential === undefined ? fromAddress(url) : authorizationOf(found.credential);
  if (authorization === undefined) {
    const expected = 'a token, a username with a password, or an api_key';
    return { answer: failed('auth', `the credential of the task '${task.label}' has none of: ${expected}.`) };
  }
  url.username = '';
  url.password = '';
  addParams(url, { ...((input.params ?? {}) as JsonMap), ...authorization.params });
  const given = lowerCased((input.headers ?? {}) as JsonMap);
  if (hasFiles(input) && given['content-type'] !== undefined) {
    return refuse('headers', "has a Content-Type, which 'files' sets itself: it names what separates them.");
  }
  let sent: SentBody;
  try {
    sent = hasFiles(input) ? await uploadOf(input.files, folder) : bodyOf(input);
  } catch (error) {
    if (!(error instanceof UploadProblem)) throw error;
    return refuse('files', error.message);
  }
  const { body, type } = sent;
  const headers = lowerCased({
    accept: '*/*',
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': 'noetl',
    'idempotency-key': key,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(type === undefined ? {} : { 'content-type': type }),
    ...lowerCased(authorization.headers),
    ...given,
  });
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeaderName(name)) return refuse('headers', `has the name ${JSON.stringify(name)}, which is none.`);
    if (!isHeaderValue(value)) return refuse('headers', `has a value for '${name}' that no header can have.`);
  }
  return { request: { method, url, headers, body } };
}

function parseUrl(text: string): URL | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}

/** `http://user:password@host` is basic authorization, and leaves the address before anybody sees it. */
function fromAddress({ username, password }: URL): Authorization {
  if (username === '' && password === '') return { headers: {}, params: {} };
  return basic(decodeURIComponent(username), decodeURIComponent(password));
}

/** A list is a parameter that comes several times; null is none. */
function addParams(url: URL, params: JsonMap): void {
  const added = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const item of Array.isArray(value) ? (value as readonly Json[]) : [value]) {
      if (item !== null) added.append(name, textOf(item));
    }
  }
  // What the address has already stays as it was written: written anew, a secret in it would be hard to recognise.
  if (added.size > 0) url.search = url.search === '' ? added.toString() : `${url.search}&${added}`;
}

interface SentBody {
  readonly body: string | StreamedBody | undefined;
  readonly type?: string;
}

const hasFiles = ({ files }: JsonMap): boolean => files !== undefined && files !== null;

async function uploadOf(files: Json | undefined, folder: string): Promise<SentBody> {
  const body = await multipartBody(files ?? null, folder);
  return { body, type: body.type };
}

function bodyOf({ json, body, form }: JsonMap): SentBody {
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' };
  if (form !== undefined) {
    const pairs = new URL('http://form');
    addParams(pairs, form as JsonMap);
    return { body: pairs.searchParams.toString(), type: 'application/x-www-form-urlencoded' };
  }
  if (body === undefined || body === null) return { body: undefined };
  return typeof body === 'string' ? { body } : { body: JSON.stringify(body), type: 'application/json' };
}

const lowerCased = (headers: JsonMap): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), textOf(value)]));

/** An address for people: what could be a secret in it is left out. */
export const shownUrl = ({ origin, pathname }: URL): string => `${origin}${pathname}`;
