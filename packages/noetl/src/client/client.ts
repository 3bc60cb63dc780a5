import type { ExecutionEvent } from '@noetl/engine';
import type { Json } from '@noetl/playbook';
import type {
  PlaybookEntry,
  PlaybookText,
  RegisterBody,
  Registered,
  ValidateBody,
  Validation,
} from '../api/catalog.ts';
import type { CredentialEntry, CredentialSet } from '../api/credentials.ts';
import type {
  ControlBody,
  Execution,
  ExecutionDetail,
  ExecutionPage,
  ForkBody,
  Forked,
  LogPage,
  SignalBody,
  StartBody,
  Started,
} from '../api/executions.ts';
import type { AuditPage, MadeToken, TokenBody, TokenEntry } from '../api/tokens.ts';
import type { Pool, Worker } from '../api/workers.ts';
import { type LiveOptions, liveEvents } from './live.ts';
import { type ClientOptions, createTransport, pathOf } from './transport.ts';

/** Which page of a list. */
interface Paging<Place> {
  readonly limit?: number;
  readonly before?: Place;
  readonly after?: Place;
}

/** What came of something that was asked of an execution. */
export interface Controlled {
  readonly execution_id: string;
  readonly status: Execution['status'];
  readonly driven: boolean;
  readonly events: readonly ExecutionEvent[];
}

export interface ExecutionQuery extends Paging<number> {
  readonly status?: Execution['status'];
  readonly path?: string;
  readonly parent?: string;
  readonly top?: boolean;
}

/** A NoETL server. What cannot be done is a ServerProblem; a server that does not answer, ServerUnreachable. */
export type NoetlClient = ReturnType<typeof createClient>;

/** How long a server may be silent over what it has to write, and over what may take long, in milliseconds. */
const SILENCE_OVER_CHANGES = 60_000;
const SILENCE_OVER_MUCH = 300_000;

/** A client of the HTTP API; every method is one route of docs/reference/api.md. */
export function createClient(options: ClientOptions) {
  const transport = createTransport(options);
  const { json, stream } = transport;
  const get = <T>(path: string, query: object = {}, silence?: number): Promise<T> =>
    json<T>('GET', path, { query: query as Record<string, string>, ...(silence === undefined ? {} : { silence }) });
  const post = <T>(path: string, body: unknown = {}, silence = SILENCE_OVER_CHANGES): Promise<T> =>
    json<T>('POST', path, { body, silence });
  return {
    version: () => get<{ version: string; api: number }>('/api/version'),
    ready: () => get<{ ready: true; executions: number }>('/api/ready'),
    catalog: {
      register: (body: RegisterBody) => post<Registered>('/api/catalog', body),
      validate: (body: ValidateBody) => post<Validation>('/api/catalog/validate', body),
      list: (page: Omit<Paging<string>, 'before'> = {}) =>
        get<{ playbooks: readonly PlaybookEntry[]; next: string | null }>('/api/catalog', page),
      get: (path: string, version?: number) => get<PlaybookText>(pathOf`/api/catalog/${path}`, { version }),
      byId: (id: string) => get<PlaybookText>(pathOf`/api/playbooks/${id}`),
      versions: (path: string, page: Omit<Paging<number>, 'after'> = {}) =>
        get<{ versions: readonly PlaybookEntry[]; next: number | null }>(pathOf`/api/catalog/${path}/versions`, page),
    },
    executions: {
      /** The key makes it safe to ask again; a `traceparent` continues the trace that it names. */
      start: (body: StartBody, key?: string, traceparent?: string) =>
        json<Started>('POST', '/api/executions', {
          body,
          silence: SILENCE_OVER_CHANGES,
          again: key !== undefined,
          headers: {
            ...(key === undefined ? {} : { 'idempotency-key': key }),
            ...(traceparent === undefined ? {} : { traceparent }),
          },
        }),
      list: (query: Omit<ExecutionQuery, 'after'> = {}) => get<ExecutionPage>('/api/executions', query),
      unfinished: (page: Omit<Paging<number>, 'before'> = {}) => get<ExecutionPage>('/api/unfinished', page),
      get: (id: string) => get<ExecutionDetail>(pathOf`/api/executions/${id}`),
      status: (id: string) => get<Record<string, Json>>(pathOf`/api/executions/${id}/status`),
      state: (id: string, at?: number) =>
        get<Record<string, Json>>(pathOf`/api/executions/${id}/state`, { at }, SILENCE_OVER_MUCH),
      events: (id: string, page: Omit<Paging<number>, 'before'> = {}) =>
        get<{ events: readonly ExecutionEvent[]; next: number | null }>(pathOf`/api/executions/${id}/events`, page),
      live: (id: string, live?: LiveOptions) => liveEvents(transport, id, live),
      logs: (id: string, page: Omit<Paging<number>, 'before'> = {}) =>
        get<LogPage>(pathOf`/api/executions/${id}/logs`, page),
      result: (id: string, step?: string) =>
        get<{ status?: Execution['status']; error?: Json; result: Json }>(pathOf`/api/executions/${id}/result`, {
          step,
        }),
      milestones: (id: string, kind: string, after: number) =>
        get<{ events: readonly ExecutionEvent[] | null }>(pathOf`/api/executions/${id}/milestones`, { kind, after }),
      iterations: (id: string, query: { loop: string; until?: number | undefined; from: number; limit: number }) =>
        get<{ events: readonly ExecutionEvent[]; size: number | null }>(
          pathOf`/api/executions/${id}/iterations`,
          query,
        ),
      snapshot: (id: string, format: number, until: number) =>
        get<{ snapshot: { position: number; format: number; state: string } | null }>(
          pathOf`/api/executions/${id}/snapshot`,
          { format, until },
        ),
      value: (stored: { store: string; key: string; checksum: string; size: number }) =>
        stream('/api/values', { query: stored }).then((bytes) => bytes ?? NO_BYTES()),
      pause: (id: string, body: ControlBody = {}) => post<Controlled>(pathOf`/api/executions/${id}/pause`, body),
      resume: (id: string, body: ControlBody = {}) => post<Controlled>(pathOf`/api/executions/${id}/resume`, body),
      cancel: (id: string, body: ControlBody = {}) => post<Controlled>(pathOf`/api/executions/${id}/cancel`, body),
      signal: (id: string, body: SignalBody) => post<Controlled>(pathOf`/api/executions/${id}/signal`, body),
      continue: (id: string) =>
        post<{ execution_id: string; continued: boolean }>(pathOf`/api/executions/${id}/continue`),
      fork: (id: string, body: ForkBody) => post<Forked>(pathOf`/api/executions/${id}/fork`, body, SILENCE_OVER_MUCH),
      diff: (id: string, other: string, limit?: number) =>
        get<Record<string, Json>>(pathOf`/api/executions/${id}/diff`, { with: other, limit }, SILENCE_OVER_MUCH),
      verify: (id: string) => post<Record<string, Json>>(pathOf`/api/executions/${id}/verify`, {}, SILENCE_OVER_MUCH),
      strays: () => get<{ events: number }>('/api/strays'),
    },
    tokens: {
      list: () => get<{ tokens: readonly TokenEntry[] }>('/api/tokens'),
      /** The only answer that ever shows the token. */
      create: (body: TokenBody) => post<MadeToken>('/api/tokens', body),
      revoke: (name: string) => json<{ revoked: string }>('DELETE', pathOf`/api/tokens/${name}`),
    },
    workers: {
      list: () => get<{ workers: readonly Worker[] }>('/api/workers'),
      /** Who is there for each pool, and how much waits for it. */
      pools: () => get<{ pools: readonly Pool[] }>('/api/pools'),
      /** The worker takes no work any more, and ends when what it does is done. */
      drain: (name: string) => post<{ name: string }>(pathOf`/api/workers/${name}/drain`),
    },
    audit: (page: Omit<Paging<number>, 'after'> = {}) => get<AuditPage>('/api/audit', page),
    credentials: {
      list: () => get<{ credentials: readonly CredentialEntry[] }>('/api/credentials'),
      set: (name: string, body: CredentialSet) =>
        json<CredentialEntry>('PUT', pathOf`/api/credentials/${name}`, { body }),
      remove: (names: readonly string[]) => post<{ removed: readonly string[] }>('/api/credentials/remove', { names }),
      rotate: () => post<{ credentials: number; key: string }>('/api/credentials/rotate', {}, SILENCE_OVER_MUCH),
    },
  };
}

const NO_BYTES = () => new ReadableStream<Uint8Array>({ start: (empty) => empty.close() });
