import type { JsonMap } from '@noetl/playbook';

/** What an answer may show of its headers: the rest, such as cookies, would stand in the log for ever. */
const SHOWN: ReadonlySet<string> = new Set(
  (
    'accept-ranges age allow cache-control content-disposition content-encoding content-language content-length ' +
    'content-location content-range content-type date deprecation etag expires last-modified link location ' +
    'retry-after server sunset vary warning x-correlation-id x-next-page x-page x-per-page x-prev-page ' +
    'x-request-id x-total x-total-count x-total-pages'
  ).split(' '),
);
const SHOWN_FAMILIES = ['ratelimit', 'x-ratelimit', 'x-rate-limit'];

/** What follows a redirect to another origin: nothing that could be a credential. */
const CARRIED: ReadonlySet<string> = new Set(
  'accept accept-encoding accept-language content-type idempotency-key range traceparent user-agent'.split(' '),
);

type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export function shownHeaders(headers: ResponseHeaders): JsonMap {
  const shown = Object.entries(headers).filter(
    ([name, value]) =>
      value !== undefined && (SHOWN.has(name) || SHOWN_FAMILIES.some((family) => name.startsWith(family))),
  );
  return Object.fromEntries(
    shown.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

export const carriedHeaders = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => CARRIED.has(name)));

export function requestIdOf(headers: ResponseHeaders): string | null {
  const id = headers['x-request-id'] ?? headers['request-id'] ?? headers['x-correlation-id'];
  return (Array.isArray(id) ? id[0] : id) ?? null;
}

export const isHeaderName = (name: string): boolean => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name);
export const isHeaderValue = (value: string): boolean => !/[^\t\x20-\x7e\x80-\xff]/.test(value);
