import type { Json, JsonMap } from '@noetl/playbook';
import type { Agent } from 'undici';
import { type Keep, KeepProblem, type KeptPart } from '../../ports/keep.ts';
import { StoreError } from '../../ports/store-error.ts';
import { failed, ok, stopped } from '../answer.ts';
import { isMap, textOf } from '../checked-fields.ts';
import { withRenewedCredential } from '../credential.ts';
import { defineTool, type Tool, type ToolAnswer, type ToolCall, type ToolContext } from '../define-tool.ts';
import type { ToolLimits } from '../tool-host.ts';
import { withTimeout } from '../with-timeout.ts';
import { Forbidden, type Guard, guardedAgent } from './guarded-agent.ts';
import { requestIdOf, shownHeaders } from './headers.ts';
import { type HttpRequest, requestOf, shownUrl } from './request.ts';
import { type Body, BodyProblem, decodeBody, keepBody, readBody } from './response-body.ts';
import { type HttpResponse, hasNoBody, RedirectProblem, send } from './send.ts';
import { PackedProblem, TooLarge } from './unpack.ts';

/** Seconds. */
const CONNECT_TIMEOUT = 10;
const READ_TIMEOUT = 300;

/** HTTP with pools per origin. */
export function httpTool(
  { responseBytes, heldBytes }: Pick<ToolLimits, 'responseBytes' | 'heldBytes'>,
  guard: Guard,
): Tool {
  /** How long to wait for a connection belongs to the pool. */
  const agents = new Map<number, Agent>();
  const agentFor = (connect: number): Agent => {
    const agent = agents.get(connect) ?? guardedAgent(guard, connect);
    agents.set(connect, agent);
    return agent;
  };
  const exchange = async (call: ToolCall, context: ToolContext): Promise<ToolAnswer> => {
    const built = await requestOf(call, context.folder);
    if ('answer' in built) return built.answer;
    const { connect, read, total } = timeoutsOf(call.spec);
    const { signal, forget } = withTimeout(context.signal, total === undefined ? undefined : total * 1000);
    let response: HttpResponse | undefined;
    try {
      response = await send(built.request, {
        agent: agentFor(connect),
        signal,
        readTimeout: read * 1000,
        follow: call.input.follow_redirects !== false,
      });
      const body = await readBody(response, heldBytes, responseBytes, hasNoBody(built.request, response));
      return await answerOf(call, built.request, response, body, context.keep);
    } catch (error) {
      return problemOf(error, call, built.request, signal, response, responseBytes);
    } finally {
      forget();
    }
  };
  return defineTool({
    kind: 'http',
    run: async (call, context) => {
      const answer = await exchange(call, context);
      // A token may be refused before its time; once it is worth a new one.
      const renewed =
        isMap(answer.http) && answer.http.status === 401 ? await withRenewedCredential(call, context) : undefined;
      return renewed === undefined ? answer : exchange(renewed, context);
    },
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  });
}

/** A number limits the attempt as a whole; `{connect, read}` its parts. */
function timeoutsOf({ timeout }: JsonMap): { connect: number; read: number; total?: number } {
  if (typeof timeout === 'number')
    return { connect: Math.min(timeout, CONNECT_TIMEOUT), read: READ_TIMEOUT, total: timeout };
  const { connect, read } = isMap(timeout) ? timeout : {};
  return {
    connect: typeof connect === 'number' ? connect : CONNECT_TIMEOUT,
    read: typeof read === 'number' ? read : READ_TIMEOUT,
  };
}

const httpOf = ({ statusCode, headers }: HttpResponse): JsonMap => ({
  status: statusCode,
  headers: shownHeaders(headers),
  request_id: requestIdOf(headers),
});

async function answerOf(
  { input, task }: ToolCall,
  request: HttpRequest,
  response: HttpResponse,
  { bytes, more }: Body,
  keep: Keep,
): Promise<ToolAnswer> {
  const http = httpOf(response);
  const { statusCode } = response;
  const resultOf = (data: Json): Json => ({ status: statusCode, headers: http.headers ?? {}, data });
  const what = `${request.method} ${shownUrl(request.url)} of the task '${task.label}'`;
  const succeeded = statusCode >= 200 && statusCode < 300;
  const type = textOf(http.headers === undefined ? null : ((http.headers as JsonMap)['content-type'] ?? null));
  let data: Json;
  let kept: readonly KeptPart[] = [];
  try {
    if (more === undefined) data = decodeBody(bytes, type, input.response_type);
    else {
      const large = await keepBody(bytes, more, type, input.response_type, keep);
      data = large.data;
      kept = [large.kept];
    }
  } catch (error) {
    if (!(error instanceof BodyProblem)) throw error;
    data = error.data;
    if (succeeded) {
      const message = `${what} answered ${statusCode} with a body that ${error.message}.`;
      return failed('http.body', message, { result: resultOf(data), details: { status: statusCode }, http });
    }
  }
  const result = resultOf(data);
  const parts = kept.length === 0 ? {} : { kept };
  if (succeeded) return ok(result, { http, ...parts });
  const retryAfter = response.headers['retry-after'];
  return failed('http.status', `${what} answered ${statusCode}.`, {
    retryable: isRetryable(statusCode),
    details: { status: statusCode, ...(typeof retryAfter === 'string' ? { retry_after: retryAfter } : {}) },
    result,
    http,
    ...parts,
  });
}

/** What may be different next time. */
const isRetryable = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501 && status !== 505);

const TIMEOUTS: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'got no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'got no answer in time',
  UND_ERR_BODY_TIMEOUT: 'got no more of the answer in time',
};

function problemOf(
  error: unknown,
  { task: { label } }: ToolCall,
  { method, url }: HttpRequest,
  signal: AbortSignal,
  response: HttpResponse | undefined,
  limit: number,
): ToolAnswer {
  const seen = response === undefined ? {} : { http: httpOf(response) };
  const what = `${method} ${shownUrl(url)} of the task '${label}'`;
  if (signal.aborted) return stopped(signal, label, seen);
  if (error instanceof KeepProblem || error instanceof StoreError) throw error;
  if (error instanceof TooLarge) {
    return failed('http.size', `${what} answered with more than ${limit} bytes.`, seen);
  }
  if (error instanceof PackedProblem) {
    return failed('http.body', `${what} answered with a body that ${error.message}.`, seen);
  }
  if (error instanceof RedirectProblem) return failed('http.redirect', `${what}: ${error.message}.`, seen);
  if (error instanceof Forbidden) return failed('http.forbidden', `${what} may not connect to ${error.message}`, seen);
  const { code, text } = causeOf(error);
  const timeout = TIMEOUTS[code];
  if (timeout !== undefined)
    return failed('timeout', `${what} ${timeout}.`, { retryable: true, details: { code }, ...seen });
  if (/^(Z_|ERR_BROTLI|ERR__ERROR_)/.test(code)) {
    return failed('http.body', `${what} answered with a body that cannot be unpacked.`, { details: { code }, ...seen });
  }
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH') {
    return failed('task.field', `${what} cannot be sent: ${text}`, { details: { code }, ...seen });
  }
  const retryable = !/CERT|SELF_SIGNED|ISSUER|ALTNAME/.test(code);
  const message = response === undefined ? `found no connection: ${text}` : `broke off in the middle: ${text}`;
  return failed('http.connect', `${what} ${message}`, { retryable, details: { code }, ...seen });
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there (ECONNREFUSED).',
  ENOTFOUND: 'there is no such host (ENOTFOUND).',
  EAI_AGAIN: 'the host could not be looked up (EAI_AGAIN).',
  ECONNRESET: 'the other side closed it (ECONNRESET).',
  UND_ERR_SOCKET: 'the other side closed it.',
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: 'the body is not as long as was announced; did a file change while it was sent?',
  CERT_HAS_EXPIRED: 'its certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself.',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by itself.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host.',
};

function causeOf(error: unknown): { readonly code: string; readonly text: string } {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const code = first instanceof Error && 'code' in first ? String(first.code) : '';
  return { code, text: CAUSES[code] ?? `${first instanceof Error ? first.message : String(first)}.` };
}
