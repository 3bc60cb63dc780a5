import { ServerProblem, ServerUnreachable } from './server-error.ts';

export interface ClientOptions {
  /** Where the server is: `http://127.0.0.1:8082`. */
  readonly url: string;
  readonly token?: string | undefined;
  /** Instead of the global one. */
  readonly fetch?: typeof fetch;
}

interface Asking {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface Transport {
  /** The JSON of the answer. */
  json<T>(method: string, path: string, asking?: Asking): Promise<T>;
  /** The body of the answer as it comes; undefined where there is none. */
  stream(path: string, asking?: Asking): Promise<ReadableStream<Uint8Array> | undefined>;
}

/** A path with its parts as they must be written. */
export const pathOf = (strings: TemplateStringsArray, ...parts: readonly (string | number)[]): string =>
  strings.reduce((path, text, at) => `${path}${at === 0 ? '' : encodeURIComponent(String(parts[at - 1]))}${text}`, '');

export function createTransport({ url, token, fetch: send = fetch }: ClientOptions): Transport {
  const base = url.replace(/\/+$/, '');

  async function answered(
    method: string,
    path: string,
    { query = {}, body, headers, signal }: Asking,
  ): Promise<Response> {
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
    const search = given.size === 0 ? '' : `?${given}`;
    let answer: Response;
    try {
      answer = await send(`${base}${path}${search}`, {
        method,
        redirect: 'error',
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new ServerUnreachable(base, reasonOf(error), { cause: error });
    }
    if (answer.ok) return answer;
    throw await problemIn(answer, base);
  }

  return {
    async json<T>(method: string, path: string, asking: Asking = {}): Promise<T> {
      const answer = await answered(method, path, asking);
      try {
        return (await answer.json()) as T;
      } catch (error) {
        throw new ServerUnreachable(
          base,
          `its answer was cut off, or is none of a NoETL server (${reasonOf(error)}).`,
          {
            cause: error,
          },
        );
      }
    },
    async stream(path, asking = {}) {
      return (await answered('GET', path, asking)).body ?? undefined;
    },
  };
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, message = String(error) } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? message;
}

async function problemIn(answer: Response, base: string): Promise<Error> {
  const isProblem = answer.headers.get('content-type')?.startsWith('application/problem+json') ?? false;
  if (!isProblem) return new ServerUnreachable(base, `it says ${answer.status}, and is no NoETL server.`);
  const {
    status,
    code,
    detail,
    type: _,
    title: __,
    ...fields
  } = (await answer.json()) as {
    readonly status: number;
    readonly code: string;
    readonly detail: string;
    readonly type: string;
    readonly title: string;
  };
  return new ServerProblem(status, code, detail, fields);
}
