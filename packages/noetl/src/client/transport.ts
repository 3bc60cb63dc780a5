import { ServerProblem, ServerUnreachable } from './server-error.ts';
import { heardStream, heardWithin, Silence } from './silence.ts';

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
  /** How long the server may be silent, in milliseconds. */
  readonly silence?: number;
  /** Whether it may be asked again if nothing was heard; what only reads may always be. */
  readonly again?: boolean;
}

/** A server that is silent for so long is taken for dead, in milliseconds: each time that it is asked, or between two pieces of an answer. */
const SILENCE = 30_000;
/** How often something is asked that changes nothing. */
const TIMES = 2;

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
  // What fetch says of a header that cannot be sent shows it.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new TypeError('the token holds characters that no token has, such as blanks or the end of a line.');
  }

  async function answered(method: string, path: string, asking: Asking): Promise<Response> {
    const { query = {}, body, headers, signal, silence = SILENCE, again = method === 'GET' } = asking;
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
    const search = given.size === 0 ? '' : `?${given}`;
    const request = {
      method,
      redirect: 'error',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    } as const;
    for (let left = again ? TIMES : 1; ; left -= 1) {
      let answer: Response;
      try {
        answer = await heardWithin(silence, signal, (until) =>
          send(`${base}${path}${search}`, { ...request, signal: until }),
        );
      } catch (error) {
        if (signal?.aborted) throw error;
        // What is asked again goes on another connection.
        if (error instanceof Silence && left > 1) continue;
        throw new ServerUnreachable(base, reasonOf(error), { cause: error });
      }
      if (answer.ok) return answer;
      throw await problemIn(answer, base);
    }
  }

  return {
    async json<T>(method: string, path: string, asking: Asking = {}): Promise<T> {
      const answer = await answered(method, path, asking);
      try {
        return (await new Response(bodyOf(answer, asking)).json()) as T;
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
      return bodyOf(await answered('GET', path, asking), asking) ?? undefined;
    },
  };
}

const bodyOf = ({ body }: Response, { silence = SILENCE }: Asking): ReadableStream<Uint8Array> | null =>
  body === null ? null : heardStream(body as ReadableStream<Uint8Array>, silence);

/** `fetch failed` says nothing; its cause does. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, message = String(error) } = (cause ?? {}) as { code?: string; message?: string };
  if (code === undefined) return message;
  const advice = ADVICE[code];
  return advice === undefined ? code : `${advice} (${code}).`;
}

const UNKNOWN_CERTIFICATE = 'its certificate is not known here; NODE_EXTRA_CA_CERTS names a file with those that are';
const ADVICE: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_CERTIFICATE,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak https; http:// may be meant',
  UND_ERR_SOCKET: 'it ends the connection without an answer; https:// may be meant',
};

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
