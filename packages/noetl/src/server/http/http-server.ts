import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../ports/clock.ts';
import { StoreError } from '../../ports/store-error.ts';
import type { AnsweredRequest } from '../metrics/server-metrics.ts';
import { type Access, ANYONE_HERE, type RefusedCaller } from './access.ts';
import type { AuditedRequest } from './audit.ts';
import { watchOpenRequests } from './open-requests.ts';
import { type Caller, mayDo } from './permissions.ts';
import { Problem, storeProblem } from './problem.ts';
import type { RateLimit } from './rate-limit.ts';
import { checkedPart, jsonBody, strictly } from './request-parts.ts';
import { type ApiReply, type ApiRequest, methodsByPath, type Route } from './route.ts';
import { refuseUnreadable } from './unreadable.ts';
import { type AllowedNames, allowedRequests, checkWhereFrom, isForwarded, readableBy } from './where-from.ts';

/** SPEC §9: bytes of a request. */
const REQUEST_LIMIT = 4 * 1024 * 1024;
/**
 * How long a request may take to arrive, in milliseconds. Its head has a minute (Node's own limit): until then nobody knows who asks.
 * What follows comes from somebody who may ask, and may be a result of 1 GiB over a slow line (SPEC §9).
 */
const SLOWEST_REQUEST = 3_600_000;
/** Characters of a part of a path: a path of the catalog, written as one part. */
const LONGEST_PART = 2_048;
/** What is counted for requests that no route is there for: what they ask for may be anything. */
const NO_ROUTE = 'none';

export interface HttpOptions {
  readonly routes: readonly Route[];
  readonly access: Access;
  readonly names: AllowedNames;
  /** Of each token, and of each address that shows none. */
  readonly rate: RateLimit;
  /** Of what is refused because nobody knows who asks, for each address. */
  readonly strangers: RateLimit;
  readonly clock: Clock;
  /** Certificate and key, as PEM. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  audit(request: AuditedRequest): void;
  /** Told of every answer, by the route as it is declared. */
  answered(request: AnsweredRequest): void;
  /** Told what went wrong inside; the caller learns no more than that something did. */
  failed(message: string): void;
}

export interface HttpServer {
  /** Listens; the answer is the port. */
  listen(host: string, port: number): Promise<number>;
  /** For tests: asks without a connection. */
  readonly app: FastifyInstance;
  /**
   * Takes no request any more, ends those that never would, and lets the others come to their answer for so many
   * milliseconds: who does not read what is sent keeps nobody waiting longer.
   */
  close(patience: number): Promise<void>;
}

/** Serves routes. The library is loaded here, so that commands that serve nothing do not wait for it. */
export async function openHttpServer(options: HttpOptions): Promise<HttpServer> {
  const { fastify } = await import('fastify');
  const { tls } = options;
  const app = fastify({
    bodyLimit: REQUEST_LIMIT,
    routerOptions: { maxParamLength: LONGEST_PART },
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    requestTimeout: SLOWEST_REQUEST,
    frameworkErrors: (error: unknown, _: FastifyRequest, reply: FastifyReply) => {
      sendProblem(problemOf(error, options.failed), reply);
    },
    clientErrorHandler: refuseUnreadable,
    ...(tls === undefined ? {} : { https: { cert: tls.cert, key: tls.key } }),
  } as Parameters<typeof fastify>[0]) as unknown as FastifyInstance;
  const callers = new WeakMap<FastifyRequest, Caller>();
  /** What the audit log tells of requests, beside what they ask for. */
  const audited = new WeakMap<FastifyRequest, { readonly by?: string; readonly about?: string }>();
  const open = watchOpenRequests(options.access, options.clock);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_: FastifyRequest, text: string | Buffer) => jsonBody(String(text)),
  );
  app.addContentTypeParser('application/octet-stream', async (_: FastifyRequest, bytes: Readable) => bytes);
  // An expectation that is not known is none that has to be met.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.setErrorHandler((error, { raw }, reply) => {
    // Whoever does not send to the end does not wait for the answer either.
    const unsent = error === raw.errored;
    sendProblem(unsent ? UNSENT : problemOf(error, options.failed), reply);
  });
  const methodsOf = methodsByPath(options.routes);
  app.setNotFoundHandler((request, reply) => {
    const methods = methodsOf(pathOf(request));
    const allowed = allowedRequests(request, methods, options.names);
    if (allowed !== undefined) return reply.code(204).headers(allowed).send();
    if (methods.length > 0) {
      const allow = methods.join(', ');
      const what = `${request.method} ${pathOf(request)} is no route, but ${allow} is. /api/docs lists them.`;
      throw new Problem('NOETL_API_METHOD', what, {}, { allow });
    }
    throw new Problem('NOETL_API_NOT_FOUND', `${request.method} ${pathOf(request)} is no route. /api/docs lists them.`);
  });
  app.addHook('onRequest', async (request, reply) => {
    checkWhereFrom(request.headers, tls !== undefined, options.names);
    reply.headers(readableBy(request.headers.origin, options.names));
    if (request.is404) demandRate(options.rate, request.ip);
  });
  app.addHook('onResponse', async (request, reply) => {
    if (request.is404) options.answered({ method: NO_ROUTE, route: NO_ROUTE, status: reply.statusCode });
  });
  for (const route of options.routes) mount(route);

  function mount(route: Route): void {
    const query = strictly(route.query);
    app.route({
      // Whoever watches over a server may ask without wanting to read.
      method: route.method === 'GET' && route.permission === 'public' ? ['GET', 'HEAD'] : route.method,
      url: route.path.replace(/\{(\w+)\}/g, ':$1'),
      // Before the body is read: who may not ask has nothing to say.
      onRequest: async (request) => {
        const caller = await callerOf(route, request, options, (by) => audited.set(request, { by }));
        callers.set(request, caller);
        // Workers have leases to keep; how much they ask is for the server to say, by the work that it gives out.
        if (route.permission !== 'work')
          demandRate(options.rate, caller.isToken || caller.local ? `known ${caller.name}` : request.ip);
        demandPermission(route, caller);
      },
      handler: async (request, reply) => {
        const asked = {
          params: checkedPart('path', route.params, request.params),
          query: checkedPart('query', query, request.query),
          body: route.stream ? undefined : checkedPart('body', route.body, jsonOf(request)),
          stream: route.stream && request.body instanceof Readable ? request.body : Readable.from([]),
          caller: callers.get(request) as Caller,
          headers: request.headers as ApiRequest<never, never, never>['headers'],
          // Made for who asks for it: most requests are answered before anybody could go away.
          get signal() {
            return cutShort(reply, request.headers.authorization);
          },
        };
        const answer = await route.handle(asked as unknown as ApiRequest<never, never, never>);
        if ('about' in answer && answer.about !== undefined) audited.set(request, { about: answer.about });
        return sendReply(answer, reply);
      },
      onResponse: async (request, reply) => {
        options.answered({ method: route.method, route: route.path, status: reply.statusCode });
        const refused = reply.statusCode === 401 || reply.statusCode === 403;
        if (!refused && !(route.audited ?? route.method !== 'GET')) return;
        const { by = 'unknown', about } = { by: callers.get(request)?.name, ...audited.get(request) };
        const { method, ip: from } = request;
        options.audit({ by, from, method, path: pathOf(request), about, status: reply.statusCode });
      },
    });
  }

  function cutShort({ raw }: FastifyReply, authorization: string | undefined): AbortSignal {
    const cut = new AbortController();
    const answered = open.hold(authorization, cut);
    raw.once('close', () => {
      answered();
      if (!raw.writableFinished) cut.abort();
    });
    if (raw.destroyed) cut.abort();
    return cut.signal;
  }

  return {
    app,
    async listen(host, port) {
      await app.listen({ host, port });
      const address = app.server.address();
      return typeof address === 'object' && address !== null ? address.port : port;
    },
    async close(patience) {
      await open.close();
      const late = setTimeout(() => app.server.closeAllConnections(), patience);
      await app.close().finally(() => clearTimeout(late));
    },
  };
}

/** A route that reads no bytes takes no other body than JSON. */
function jsonOf({ body }: FastifyRequest): unknown {
  if (body instanceof Readable) throw new Problem('NOETL_API_REQUEST', UNREAD_TYPE);
  return body;
}

const UNREAD_TYPE = 'the body is of a type that is not read here, expected content-type: application/json.';

const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0] ?? url;

async function callerOf(
  route: Route,
  { ip, headers }: FastifyRequest,
  { access, strangers }: HttpOptions,
  refused: (name: string) => void,
): Promise<Caller> {
  // Whether a server is well must not depend on how busy its store is.
  if (route.permission === 'public') return NOBODY;
  const found = await access.callerOf(headers.authorization);
  const caller = found === ANYONE_HERE && isForwarded(headers) ? FORWARDED : found;
  if (!('refused' in caller)) return caller;
  if (caller.name !== undefined) refused(caller.name);
  // Who guesses tokens, and each time another, is one and the same.
  demandRate(strangers, ip);
  throw new Problem('NOETL_API_UNAUTHENTICATED', caller.refused, {}, { 'www-authenticate': 'Bearer' });
}

function demandRate(rate: RateLimit, caller: string): void {
  const wait = rate.take(caller);
  if (wait === 0) return;
  const headers = { 'retry-after': `${wait}` };
  throw new Problem('NOETL_API_RATE_LIMIT', `too many requests; ask again in ${wait} s.`, {}, headers);
}

function demandPermission({ method, path, permission }: Route, caller: Caller): void {
  if (permission === 'public' || mayDo(caller, permission)) return;
  const { role, prefix } = caller;
  const who = mayDo({ role, prefix: '' }, permission) ? `a token that is bound to '${prefix}'` : `the role '${role}'`;
  throw new Problem(
    'NOETL_API_FORBIDDEN',
    `${method} ${path} needs the permission '${permission}', which ${who} does not have.`,
  );
}

/** SEC-4: without a token only this machine is heard, and not whom it speaks for. */
const FORWARDED: RefusedCaller = {
  refused:
    'a token is needed for requests that come through a proxy: Authorization: Bearer TOKEN. noetl token create makes one.',
};

const UNSENT = new Problem('NOETL_API_REQUEST', 'the request was not sent to its end. Send it again, as a whole.');

const NOBODY: Caller = { name: 'nobody', role: 'viewer', prefix: '', local: false, isToken: false };

/** Pieces may be large: whoever reads slowly, or never, holds one that waits for them and no more. */
const ONE_AHEAD = { highWaterMark: 1 };

function sendReply(answer: ApiReply, reply: FastifyReply): FastifyReply {
  if ('nothing' in answer) return reply.code(204).send();
  if ('stream' in answer)
    return reply.type(answer.type).header('cache-control', 'no-store').send(Readable.from(answer.stream, ONE_AHEAD));
  if ('text' in answer) return reply.type(answer.type).send(answer.text);
  const { status = 200, body, headers = {} } = answer;
  return reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .type('application/json; charset=utf-8')
    .send(`${JSON.stringify(body)}\n`);
}

function sendProblem(problem: Problem, reply: FastifyReply): FastifyReply {
  const document = problem.document();
  return reply
    .code(document.status)
    .headers(problem.headers)
    .type('application/problem+json; charset=utf-8')
    .send(`${JSON.stringify(document)}\n`);
}

/** Nothing that was not meant for the caller is told: no stack, no inner message. */
function problemOf(error: unknown, failed: (message: string) => void): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreError) {
    if (error.code !== 'NOETL_STORE_UNCONFIGURED') failed(`${error.code}: ${error.message}`);
    return storeProblem(error);
  }
  const { statusCode = 500, message = '' } = (error ?? {}) as { statusCode?: number; message?: string };
  if (statusCode === 413) {
    return new Problem(
      'NOETL_API_TOO_LARGE',
      `the request has more than ${REQUEST_LIMIT} bytes. Pass a file's URL instead.`,
    );
  }
  if (statusCode === 415) return new Problem('NOETL_API_REQUEST', UNREAD_TYPE);
  if (statusCode === 503)
    return new Problem('NOETL_API_NOT_READY', 'the server is stopping. Ask again when it is back.');
  if (statusCode >= 400 && statusCode < 500)
    return new Problem('NOETL_API_REQUEST', `${message}.`.replace(/\.+$/, '.'));
  failed(message);
  return new Problem('NOETL_API_INTERNAL', 'the server could not answer. Its output says more.');
}
