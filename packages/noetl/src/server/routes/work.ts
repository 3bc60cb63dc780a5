import type { WorkerEvent } from '@noetl/engine';
import { PAYLOADS, TAG } from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';
import * as z from 'zod';
import { PlaybookFiles } from '../../api/playbook-files.ts';
import { JsonProblem } from '../../json-pieces.ts';
import { packWork } from '../../ports/packed-work.ts';
import { ResultLost } from '../../ports/result-store.ts';
import { LeaseGone, type WorkExchange } from '../../ports/work-exchange.ts';
import { Problem } from '../http/problem.ts';
import { checkedPart } from '../http/request-parts.ts';
import { type ApiReply, defineRoute, type Route } from '../http/route.ts';
import { streamedJson } from '../http/streamed-json.ts';
import { ExchangeClosed } from '../remote-leases.ts';

/** Bytes of a request: reports of many iterations travel together. */
const MOST_BYTES = 64 * 1024 * 1024;
/** The longest that a claim waits for work, in milliseconds. */
const LONGEST_WAIT = 30_000;
/** The lease that a stream of bytes is sent under: as the other requests name it in their body. */
const LEASE_HEADER = 'noetl-lease';

const json = z.custom<Json>((value) => value !== undefined);
const jsonMap = z.custom<JsonMap>((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
const count = z.number().int().min(0);
const name = z.string().min(1).max(200);
const timestamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const worker = z.object({
  name,
  pool: name,
  labels: z.record(name, z.string().max(200)),
  slots: count.max(10_000),
  host: z.string().max(300),
  pid: count,
});
const lease = z.object({
  execution: z.string(),
  work: z.string(),
  epoch: count,
  worker: name,
  capability: z.string().max(100),
});
const error = z.object({ kind: z.string(), retryable: z.boolean(), message: z.string(), details: json });
const reference = z.object({
  [TAG]: z.literal('reference'),
  store: z.string(),
  key: z.string(),
  checksum: z.string(),
  size: count,
  schema_hint: z.string(),
});

const taskOf = { task: z.object({ label: z.string(), visit: count, attempt: count }), timestamp };
const event = z.discriminatedUnion('name', [
  z.object({ name: z.literal('step.started'), timestamp, payload: PAYLOADS['step.started'].omit({ step: true }) }),
  z.object({
    name: z.literal('loop.iteration.started'),
    timestamp,
    payload: PAYLOADS['loop.iteration.started'].omit({ step: true, index: true }),
  }),
  z.object({
    name: z.literal('task.started'),
    ...taskOf,
    payload: PAYLOADS['task.started'].omit({ step: true }),
  }),
  z.object({ name: z.literal('task.done'), ...taskOf, payload: PAYLOADS['task.done'].omit({ step: true }) }),
  z.object({ name: z.literal('task.waiting'), ...taskOf, payload: PAYLOADS['task.waiting'].omit({ step: true }) }),
  z.object({ name: z.literal('finished'), timestamp }),
]);

/** What workers ask of a server, each as a request of its own (DESIGN §4). */
const BODIES = {
  claim: z.object({ worker, max: count.min(1).max(10_000), wait: count.max(LONGEST_WAIT) }),
  report: z.object({ reports: z.array(z.object({ lease, nth: count.min(1), events: z.array(event) })) }),
  heartbeat: z.object({ worker, leases: z.array(lease) }),
  release: z.object({ lease, why: z.object({ failed: error.optional(), lost: z.boolean().optional() }) }),
  leave: z.object({ worker }),
  playbook: z.object({ lease }),
  files: z.object({ lease }),
  secrets: z.object({ lease }),
  credential: z.object({
    lease,
    asked: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('issue'), secrets: jsonMap }),
      z.object({ kind: z.literal('open'), handle: jsonMap }),
      z.object({ kind: z.literal('renew'), auth: json, refused: json }),
    ]),
  }),
  log: z.object({
    lease,
    nth: count.min(1),
    lines: z.array(
      z.object({
        taskRun: z.string(),
        attempt: count,
        stream: z.enum(['stdout', 'stderr', 'noetl']),
        at: z.number(),
        text: z.string(),
      }),
    ),
  }),
  read: z.object({ lease, reference }),
  iterations: z.object({
    lease,
    source: z.object({ execution_id: z.string(), loop: z.string(), until: count.nullable() }),
    from: count,
    limit: count.max(1_000),
  }),
  events: z.object({ lease, execution: z.string(), after: count, limit: count.max(1_000) }),
};

/** What is answered; a text names the type of something that is no JSON. */
const nothing = z.looseObject({});
const ends = z.object({ events: z.array(z.unknown()) });
const ANSWERS: { readonly [K in keyof typeof BODIES]: z.ZodType | string } = {
  claim: z.object({ parts: z.array(z.unknown()), work: z.array(z.looseObject({ lease, ttl: count })) }),
  report: z.object({ answers: z.array(z.enum(['taken', 'gone'])) }),
  heartbeat: z.object({ gone: z.array(count), drain: z.boolean() }),
  release: nothing,
  leave: nothing,
  playbook: z.object({ text: z.string() }),
  files: z.object({ files: PlaybookFiles.optional() }),
  secrets: z.looseObject({
    keychain: z.looseObject({}),
    secrets: z.array(z.unknown()),
    problems: z.array(z.unknown()),
  }),
  credential: z.object({ answer: z.unknown().optional(), lent: z.looseObject({}) }),
  log: nothing,
  read: 'application/octet-stream',
  iterations: ends,
  events: ends,
};
type Bodies = { readonly [K in keyof typeof BODIES]: z.output<(typeof BODIES)[K]> };

/** `unready` says why leases are not known yet: until the executions of the folder go on, none may be taken for gone. */
export function workRoutes(exchange: WorkExchange, unready: () => string | undefined): readonly Route[] {
  const route = <K extends keyof Bodies>(
    kind: K,
    summary: string,
    handle: (body: Bodies[K], request: { readonly signal: AbortSignal }) => Promise<ApiReply>,
  ): Route =>
    defineRoute({
      method: 'POST',
      path: `/api/work/${kind}`,
      permission: 'work',
      tag: 'work',
      summary,
      body: BODIES[kind],
      stream: true,
      answer: ANSWERS[kind],
      audited: false,
      handle: (request) =>
        told(unready, async () => {
          const body = checkedPart('body', BODIES[kind], await streamedJson(request.stream, MOST_BYTES));
          return handle(body as Bodies[K], request);
        }),
    });

  return [
    route(
      'claim',
      'lease work to a worker, waiting until there is some',
      async ({ worker, max, wait }, { signal }) => ({
        body: packWork(await waitingFor(wait, signal, (late) => exchange.claim(worker, max, late))),
      }),
    ),
    route('report', 'tell what became of work', async ({ reports }) => ({
      body: { answers: await exchange.report(reports as { lease: never; nth: number; events: WorkerEvent[] }[]) },
    })),
    route('heartbeat', 'go on with leases, and learn which are gone', async ({ worker, leases }) => ({
      body: await exchange.heartbeat(worker, leases),
    })),
    route('release', 'give a lease back', async ({ lease, why: { failed, lost } }) => {
      const why = { ...(failed === undefined ? {} : { failed }), ...(lost === undefined ? {} : { lost }) };
      return { body: (await exchange.release(lease, why)) ?? {} };
    }),
    route('leave', 'say that a worker ends', async ({ worker }) => ({ body: (await exchange.leave(worker)) ?? {} })),
    route('playbook', 'the text of the playbook of a lease', async ({ lease }) => ({
      body: { text: await exchange.playbook(lease) },
    })),
    route('files', 'the files beside the playbook of a lease', async ({ lease }) => ({
      body: { files: await exchange.files(lease) },
    })),
    route('secrets', 'the credentials of the execution of a lease, as they are now', async ({ lease }) => ({
      body: await exchange.secrets(lease),
    })),
    route('credential', 'issue, open or renew a credential', async ({ lease, asked }) => ({
      body: await exchange.credential(lease, asked),
    })),
    route('log', 'keep what a tool printed', async ({ lease, nth, lines }) => ({
      body: (await exchange.log(lease, nth, lines)) ?? {},
    })),
    route('read', 'the bytes of a stored result', async ({ lease, reference }) => ({
      stream: await begun(exchange.read(lease, reference as never)),
      type: 'application/octet-stream',
    })),
    route('iterations', 'ends of iterations, by index', async ({ lease, source, from, limit }) => ({
      body: { events: await exchange.iterations(lease, source, from, limit) },
    })),
    route('events', 'ends of iterations, as the log has them', async ({ lease, execution, after, limit }) => ({
      body: { events: await exchange.events(lease, execution, after, limit) },
    })),
    defineRoute({
      method: 'PUT',
      path: '/api/work/results',
      permission: 'work',
      tag: 'work',
      summary: 'store a result, as JSON of any number of bytes',
      query: z.object({ store: z.string().max(200).optional() }),
      stream: true,
      answer: reference,
      audited: false,
      handle: ({ stream, headers, query }) =>
        told(unready, async () => ({ body: await exchange.put(leaseIn(headers[LEASE_HEADER]), query.store, stream) })),
    }),
  ];
}

function leaseIn(header = ''): z.output<typeof lease> {
  try {
    return lease.parse(JSON.parse(Buffer.from(header, 'base64url').toString('utf8')));
  } catch {
    throw new Problem('NOETL_API_REQUEST', `header ${LEASE_HEADER}: is not the lease, as JSON in base64url.`);
  }
}

/** With a signal that is aborted after so many milliseconds, or with the other. */
async function waitingFor<T>(wait: number, signal: AbortSignal, action: (late: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const abort = (): void => late.abort();
  const timer = setTimeout(abort, wait);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await action(late.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** The first bytes are awaited: what is lost is told as a problem, not by a connection that breaks. */
async function begun(pieces: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    for (let next = first; next.done !== true; next = await iterator.next()) yield next.value;
  })();
}

async function told(unready: () => string | undefined, action: () => Promise<ApiReply>): Promise<ApiReply> {
  const reason = unready();
  if (reason !== undefined) throw new Problem('NOETL_API_NOT_READY', reason);
  try {
    return await action();
  } catch (error) {
    if (error instanceof LeaseGone) throw new Problem('NOETL_API_LEASE_GONE', error.message);
    if (error instanceof ExchangeClosed) throw new Problem('NOETL_API_NOT_READY', error.message);
    if (error instanceof ResultLost)
      throw new Problem('NOETL_API_RESULT_LOST', `the stored result is ${error.kind}.`, { kind: error.kind });
    if (error instanceof JsonProblem) throw new Problem('NOETL_API_REQUEST', `body: ${error.message}.`);
    throw error;
  }
}
