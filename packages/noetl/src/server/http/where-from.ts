import { Problem } from './problem.ts';

export interface AllowedNames {
  /** Host names under which the server may be called; undefined for any. */
  readonly hosts: ReadonlySet<string> | undefined;
  /** Origins of pages that may call it, beside its own. */
  readonly origins: ReadonlySet<string>;
}

export const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** What proxies tell of whom they ask for. */
const OF_PROXIES = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/** Whether a proxy of this machine asks, for somebody who may be anywhere. */
export const isForwarded = (headers: Readonly<Record<string, unknown>>): boolean =>
  OF_PROXIES.some((name) => headers[name] !== undefined);

/**
 * A page of a stranger must not reach a server that listens on this machine, neither under a name that leads here (Host)
 * nor from its own address (Origin).
 */
export function checkWhereFrom(
  headers: Readonly<Record<string, unknown>>,
  secure: boolean,
  allowed: AllowedNames,
): void {
  const host = typeof headers.host === 'string' ? headers.host.toLowerCase() : '';
  const name = host.replace(/:\d+$/, '');
  if (allowed.hosts !== undefined && !allowed.hosts.has(name)) {
    throw new Problem(
      'NOETL_API_ORIGIN',
      `the header Host is '${name}', expected one of ${[...allowed.hosts].join(', ')}. NOETL_HOSTS names others.`,
    );
  }
  const { origin } = headers;
  if (typeof origin !== 'string' || origin === `${secure ? 'https' : 'http'}://${host}`) return;
  if (allowed.origins.has(origin)) return;
  throw new Problem(
    'NOETL_API_ORIGIN',
    `pages of '${origin}' may not call this server. NOETL_ORIGINS names those that may.`,
  );
}

/** What pages of others may send with a request, beside what every page may. */
const HEADERS = 'authorization, content-type, idempotency-key, last-event-id, traceparent';
/** How long a browser may remember what it was told, in seconds. */
const REMEMBERED = '600';

/** By these headers a browser lets a page of another origin read the answer; none for pages that may not. */
export function readableBy(origin: unknown, { origins }: AllowedNames): Readonly<Record<string, string>> {
  if (origins.size === 0) return {};
  const vary = { vary: 'origin' };
  if (typeof origin !== 'string' || !origins.has(origin)) return vary;
  return {
    ...vary,
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'location, retry-after',
  };
}

/** What a browser asks before it sends a request for a page of another origin; undefined if nobody asks that. */
export function allowedRequests(
  { method, headers }: { readonly method: string; readonly headers: Readonly<Record<string, unknown>> },
  methods: readonly string[],
  { origins }: AllowedNames,
): Readonly<Record<string, string>> | undefined {
  if (method !== 'OPTIONS' || methods.length === 0) return undefined;
  if (typeof headers.origin !== 'string' || !origins.has(headers.origin)) return undefined;
  if (headers['access-control-request-method'] === undefined) return undefined;
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': HEADERS,
    'access-control-max-age': REMEMBERED,
  };
}
