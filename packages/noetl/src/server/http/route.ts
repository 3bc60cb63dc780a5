import type * as z from 'zod';
import type { Caller, Permission } from './permissions.ts';

/** What a route is given. */
export interface ApiRequest<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The bytes of the body as they come, for a route that takes a stream. */
  readonly stream: AsyncIterable<Uint8Array>;
  readonly caller: Caller;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Aborted when nobody waits for the answer any more, who asked may not ask any more, or the server stops. */
  readonly signal: AbortSignal;
}

export type ApiReply =
  | {
      readonly status?: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      /** For the audit log: what it was about, if the path does not say so. Never a value. */
      readonly about?: string;
    }
  /** Sent piece by piece, as long as there are any. */
  | { readonly stream: AsyncIterable<string | Uint8Array>; readonly type: string }
  | { readonly text: string; readonly type: string }
  /** There is nothing to send, and will not be: status 204. */
  | { readonly nothing: true };

interface Described<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As OpenAPI writes it: `/api/executions/{id}`. */
  readonly path: string;
  readonly permission: Permission;
  readonly tag: string;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Whether the body is bytes of any number, of the type application/octet-stream, which the route reads itself. */
  readonly stream?: boolean;
  /** What is answered if all goes well; a text names the type of something that is no JSON. */
  readonly answer: z.ZodType | string;
  /** The status of that answer. */
  readonly status?: number;
  /** Whether what is done belongs into the audit log; everything but GET does unless it is said. */
  readonly audited?: boolean;
  handle(request: ApiRequest<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<ApiReply>;
}

/** A route as data: mounted on the server, described by the OpenAPI document, walked by the test of permissions. */
export interface Route extends Omit<Described<z.ZodType, z.ZodType, z.ZodType>, 'handle'> {
  handle(request: ApiRequest<never, never, never>): Promise<ApiReply>;
}

export const defineRoute = <
  Params extends z.ZodType = z.ZodType<undefined>,
  Query extends z.ZodType = z.ZodType<undefined>,
  Body extends z.ZodType = z.ZodType<undefined>,
>(
  route: Described<Params, Query, Body>,
): Route => route as unknown as Route;

/** What may be asked of a path, by the routes that it belongs to. */
export function methodsByPath(routes: readonly Route[]): (path: string) => readonly string[] {
  const patterns = routes.map(({ method, path }) => {
    const parts = path.split('/').map((part) => (part.startsWith('{') ? '[^/]+' : part.replaceAll('.', '\\.')));
    return { method, pattern: new RegExp(`^${parts.join('/')}$`) };
  });
  return (path) => [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
}
