import { readFile } from 'node:fs/promises';
import type { Dispatcher } from 'undici';
import { ResultLost } from '../ports/result-store.ts';
import { StoreError } from '../ports/store-error.ts';
import { LeaseGone, type LeaseTicket } from '../ports/work-exchange.ts';

/** Where a server is, and what is shown to it. */
export interface ServerAddress {
  readonly url: string;
  readonly token: string | undefined;
  /** Where the server says both, if it does: they may be others when it starts again. */
  readonly file?: string | undefined;
}

/** A request that the server refused for good: asking again would not help. */
export class ServerRefusal extends Error {
  override name = 'ServerRefusal';
  readonly code: string;
  constructor(code: string, message: string) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

/** The server cannot be reached, or not now. */
export class ServerAway extends Error {
  override name = 'ServerAway';
}

/**
 * Asks the server something, once. A connection may be dead without saying so: who hears nothing for `silence` milliseconds is away,
 * be it that the answer does not begin, that it does not go on, or that nobody takes what is sent.
 */
export interface ServerCalls {
  ask(kind: string, body: object, silence: number, signal?: AbortSignal): Promise<unknown>;
  /** Whole bytes, or pieces, which come but once. */
  put(
    path: string,
    headers: Readonly<Record<string, string>>,
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    silence: number,
  ): Promise<unknown>;
  read(kind: string, body: object, silence: number): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** A slow line is no silent one: so many bytes that are sent at once are given a millisecond more. */
const BYTES_PER_MILLISECOND = 1_000;
const BYTES = 'application/octet-stream';

/** Loaded when it is first needed: most programs never ask a server. */
export async function openServerCalls(address: ServerAddress, connections: number): Promise<ServerCalls> {
  const { Agent, request } = await import('undici');
  const agent = new Agent({ connections, connectTimeout: 5_000 });
  let { url: base, token } = address;
  const standard = () => ({
    'content-type': BYTES,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  });

  /** Whether the server is another one now, to be asked again. */
  async function isAnother(): Promise<boolean> {
    if (address.file === undefined) return false;
    const text = await readFile(address.file, 'utf8').catch(() => '{}');
    const said = parsed(text) as Partial<ServerAddress> | undefined;
    if (said?.url === undefined || (said.url === base && said.token === token)) return false;
    base = said.url;
    token = said.token;
    return true;
  }

  async function sent(
    path: string,
    options: Partial<Dispatcher.RequestOptions>,
    silence: number,
  ): Promise<Dispatcher.ResponseData<unknown>> {
    const { body } = options;
    const length = typeof body === 'string' || body instanceof Uint8Array ? body.length : 0;
    const asked = {
      ...options,
      headersTimeout: silence + Math.ceil(length / BYTES_PER_MILLISECOND),
      bodyTimeout: silence,
      dispatcher: agent,
    } as Parameters<typeof request>[1];
    const where = base;
    return request(`${where}${path}`, asked).catch(async (error) => {
      if (options.signal instanceof AbortSignal && options.signal.aborted) throw error;
      await isAnother();
      throw away(where, error);
    });
  }

  const post = (
    kind: string,
    body: object,
    silence: number,
    signal?: AbortSignal,
  ): Promise<Dispatcher.ResponseData<unknown>> => {
    const options = { method: 'POST', headers: standard(), body: JSON.stringify(body) } as const;
    return sent(`/api/work/${kind}`, { ...options, ...(signal === undefined ? {} : { signal }) }, silence);
  };

  async function answerOf({ statusCode, body }: Dispatcher.ResponseData<unknown>): Promise<unknown> {
    const text = await body.text().catch((error) => {
      throw away(base, error);
    });
    const answer = parsed(text);
    if (statusCode < 300) return answer;
    if (statusCode === 401 && (await isAnother())) throw new ServerAway(`the server ${base} has started again.`);
    throw refusal(statusCode, answer as Problem | undefined, base);
  }

  return {
    ask: async (kind, body, silence, signal) => answerOf(await post(kind, body, silence, signal)),
    put: async (path, headers, bytes, silence) =>
      answerOf(
        await sent(path, { method: 'PUT', headers: { ...standard(), ...headers }, body: bytes as never }, silence),
      ),
    async *read(kind, body, silence) {
      const response = await post(kind, body, silence);
      if (response.statusCode >= 300) await answerOf(response);
      try {
        for await (const piece of response.body) yield piece as Uint8Array;
      } catch (error) {
        throw away(base, error);
      }
    },
    close: () => agent.destroy(),
  };
}

interface Problem {
  readonly code?: string;
  readonly detail?: string;
  readonly kind?: 'missing' | 'corrupt';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const NO_LEASE: Pick<LeaseTicket, 'execution' | 'work'> = { execution: '', work: '' };
const NO_RESULT = { store: '', key: '' } as ConstructorParameters<typeof ResultLost>[0];

function refusal(status: number, problem: Problem | undefined, base: string): Error {
  const {
    code = `HTTP ${status}`,
    detail = 'the answer is not one of a NoETL server',
    kind = 'missing',
  } = problem ?? {};
  if (code === 'NOETL_API_LEASE_GONE') return new LeaseGone(NO_LEASE);
  if (code === 'NOETL_API_RESULT_LOST') return new ResultLost(NO_RESULT, kind);
  if (code === 'NOETL_STORE_UNCONFIGURED') return new StoreError('NOETL_STORE_UNCONFIGURED', detail, {});
  if (status === 429 || status >= 500) return new ServerAway(`the server ${base} cannot answer now: ${detail}`);
  return new ServerRefusal(code, detail);
}

function away(base: string, error: unknown): ServerAway {
  const { code, message } = error as NodeJS.ErrnoException;
  return new ServerAway(`the server ${base} does not answer (${code ?? message}).`);
}
