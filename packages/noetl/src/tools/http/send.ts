import type { Agent, Dispatcher } from 'undici';
import { carriedHeaders } from './headers.ts';
import { type HttpRequest, shownUrl } from './request.ts';

export type HttpResponse = Dispatcher.ResponseData;

export interface SendOptions {
  readonly agent: Agent;
  readonly signal: AbortSignal;
  /** Milliseconds without a byte. */
  readonly readTimeout: number;
  readonly follow: boolean;
}

export class RedirectProblem extends Error {}

const MAX_REDIRECTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Sends a request and follows where it leads; rejects if there is no answer. */
export async function send(first: HttpRequest, options: SendOptions): Promise<HttpResponse> {
  let request = first;
  for (let redirects = 0; ; redirects++) {
    const response = await sendOnce(request, options);
    const { location } = response.headers;
    if (!options.follow || !REDIRECTS.has(response.statusCode) || typeof location !== 'string') return response;
    await response.body.dump();
    if (redirects === MAX_REDIRECTS) throw new RedirectProblem(`there are more than ${MAX_REDIRECTS} redirects`);
    request = redirected(request, response.statusCode, location);
  }
}

/** HEAD, and a status that has none, in spite of the length and packing that the headers may tell. */
export const hasNoBody = ({ method }: HttpRequest, { statusCode }: HttpResponse): boolean =>
  method === 'HEAD' || statusCode === 204 || statusCode === 304;

const sendOnce = ({ url, method, headers, body }: HttpRequest, { agent, signal, readTimeout }: SendOptions) =>
  agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: method as Dispatcher.HttpMethod,
    headers: typeof body === 'object' ? { ...headers, 'content-length': String(body.length) } : { ...headers },
    body: typeof body === 'object' ? body.open() : (body ?? null),
    signal,
    headersTimeout: readTimeout,
    bodyTimeout: readTimeout,
  });

/** Another origin gets nothing that could be a credential; 303, and a POST that was moved, become a GET. */
function redirected(request: HttpRequest, status: number, location: string): HttpRequest {
  const url = URL.canParse(location, request.url.href) ? new URL(location, request.url.href) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new RedirectProblem(`${shownUrl(request.url)} redirects to something that is no http address`);
  }
  url.username = '';
  url.password = '';
  url.hash = '';
  const headers = url.origin === request.url.origin ? request.headers : carriedHeaders(request.headers);
  const becomesGet = (status === 303 && request.method !== 'HEAD') || (status < 303 && request.method === 'POST');
  if (!becomesGet) return { ...request, url, headers };
  const { 'content-type': _, ...without } = headers;
  return { method: 'GET', url, headers: without, body: undefined };
}
