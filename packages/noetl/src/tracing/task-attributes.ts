import type { Outcome } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import type { SpanKind } from './span.ts';

type Known = Readonly<Record<string, string | number | undefined>>;

/** Kinds that ask another program and wait for its answer. */
const CLIENTS: ReadonlySet<string> = new Set(['http', 'postgres', 'snowflake', 'gcs']);
const DATABASES: Readonly<Record<string, string>> = {
  postgres: 'postgresql',
  duckdb: 'duckdb',
  snowflake: 'snowflake',
};

export const spanKindOf = (kind: string): SpanKind => (CLIENTS.has(kind) ? 'client' : 'internal');

/** What the semantic conventions name, of what a task was called with; the log has it without secrets. */
export function callAttributes(kind: string, input: Json): Known {
  const database = Object.hasOwn(DATABASES, kind) ? DATABASES[kind] : undefined;
  if (database !== undefined) return { 'db.system.name': database };
  if (kind !== 'http' || !isMap(input)) return {};
  const method = typeof input.method === 'string' ? input.method.toUpperCase() : 'GET';
  return { 'http.request.method': method, ...(typeof input.url === 'string' ? addressAttributes(input.url) : {}) };
}

/** Without what could be a credential nobody declared: user, password, query. */
function addressAttributes(text: string): Known {
  if (!URL.canParse(text)) return {};
  const { protocol, hostname, port, origin, pathname } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return {};
  return {
    'url.full': `${origin}${pathname}`,
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
}

/** The same of what a task came to. */
export function outcomeAttributes({ http, pg, py }: Outcome): Known {
  return {
    'http.response.status_code': numberIn(http, 'status'),
    'db.response.status_code': textIn(pg, 'sqlstate') ?? textIn(pg, 'code'),
    'exception.type': textIn(py, 'exception_type'),
  };
}

function numberIn(value: unknown, key: string): number | undefined {
  const found = isMap(value) ? value[key] : undefined;
  return typeof found === 'number' ? found : undefined;
}

function textIn(value: unknown, key: string): string | undefined {
  const found = isMap(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : undefined;
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
