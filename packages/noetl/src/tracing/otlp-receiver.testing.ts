import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';

/** The shape of OTLP/HTTP with JSON as its specification has it, and nothing beside it. */
const Nanoseconds = z.string().regex(/^\d{19}$/);
const TraceId = z.string().regex(/^(?!0+$)[0-9a-f]{32}$/);
const SpanId = z.string().regex(/^(?!0+$)[0-9a-f]{16}$/);
const Value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
]);
const Attributes = z
  .array(z.strictObject({ key: z.string().min(1), value: Value }))
  .refine((list) => new Set(list.map(({ key }) => key)).size === list.length, 'a key comes twice');
const Span = z
  .strictObject({
    traceId: TraceId,
    spanId: SpanId,
    parentSpanId: SpanId.optional(),
    name: z.string().min(1),
    kind: z.int().min(1).max(5),
    startTimeUnixNano: Nanoseconds,
    endTimeUnixNano: Nanoseconds,
    attributes: Attributes,
    events: z
      .array(z.strictObject({ timeUnixNano: Nanoseconds, name: z.string().min(1), attributes: Attributes }))
      .optional(),
    droppedEventsCount: z.int().min(1).optional(),
    links: z.array(z.strictObject({ traceId: TraceId, spanId: SpanId })).optional(),
    status: z.union([z.strictObject({}), z.strictObject({ code: z.literal(2), message: z.string() })]),
  })
  .refine(({ startTimeUnixNano, endTimeUnixNano }) => BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano), 'times');
const Request = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes: Attributes }),
      scopeSpans: z.array(
        z.strictObject({ scope: z.strictObject({ name: z.string(), version: z.string() }), spans: z.array(Span) }),
      ),
    }),
  ),
});

type Attribute = string | number | boolean;

export interface ReceivedSpan {
  readonly trace: string;
  readonly id: string;
  readonly parent: string | undefined;
  readonly name: string;
  readonly kind: number;
  /** Milliseconds. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, Attribute>> }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly error: string | undefined;
}

/** How it answers: as a receiver does, with a status, by taking only some, or never. */
type Manner =
  | 'taken'
  | 'never'
  | { readonly status: number; readonly retryAfter?: string }
  | { readonly rejects: number };

export interface OtlpReceiver {
  readonly url: string;
  readonly port: number;
  readonly spans: ReceivedSpan[];
  /** What was wrong with requests; a test that uses it expects none. */
  readonly mistakes: string[];
  readonly headers: IncomingMessage['headers'][];
  readonly resources: Readonly<Record<string, Attribute>>[];
  /** Bytes of all bodies, as they were meant. */
  text(): string;
  manner: Manner;
  close(): Promise<void>;
}

/** A receiver of spans that takes nothing but what the specification has. */
export async function otlpReceiver(port = 0): Promise<OtlpReceiver> {
  const texts: string[] = [];
  const receiver = {
    spans: [] as ReceivedSpan[],
    mistakes: [] as string[],
    headers: [] as IncomingMessage['headers'][],
    resources: [] as Readonly<Record<string, Attribute>>[],
    text: () => texts.join('\n'),
    manner: 'taken' as Manner,
  };

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await buffer(request);
    const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
    receiver.headers.push(request.headers);
    const { manner } = receiver;
    if (manner === 'never') return;
    if (typeof manner === 'object' && 'status' in manner) {
      response.writeHead(manner.status, manner.retryAfter === undefined ? {} : { 'retry-after': manner.retryAfter });
      response.end(JSON.stringify({ code: 13, message: 'not\ntoday' }));
      return;
    }
    texts.push(String(bytes));
    const read = Request.safeParse(JSON.parse(String(bytes)));
    if (request.method !== 'POST' || request.url !== '/v1/traces') receiver.mistakes.push(`${request.url}`);
    if (request.headers['content-type'] !== 'application/json') receiver.mistakes.push('content-type');
    if (!read.success) receiver.mistakes.push(z.prettifyError(read.error));
    for (const { resource, scopeSpans } of read.data?.resourceSpans ?? []) {
      receiver.resources.push(attributesOf(resource.attributes));
      for (const { spans } of scopeSpans) receiver.spans.push(...spans.map(received));
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    const partial = { rejectedSpans: typeof manner === 'object' ? `${manner.rejects}` : '0', errorMessage: 'too odd' };
    response.end(JSON.stringify(typeof manner === 'object' ? { partialSuccess: partial } : {}));
  }

  const server = createServer((request, response) => {
    take(request, response).catch((error) => receiver.mistakes.push(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const { port: own } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${own}`,
    port: own,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

const received = (span: z.output<typeof Span>): ReceivedSpan => ({
  trace: span.traceId,
  id: span.spanId,
  parent: span.parentSpanId,
  name: span.name,
  kind: span.kind,
  start: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
  end: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
  attributes: attributesOf(span.attributes),
  events: (span.events ?? []).map(({ name, attributes }) => ({ name, attributes: attributesOf(attributes) })),
  links: span.links ?? [],
  error: 'message' in span.status ? span.status.message : undefined,
});

const attributesOf = (list: z.output<typeof Attributes>): Readonly<Record<string, Attribute>> =>
  Object.fromEntries(
    list.map(({ key, value }) => {
      if ('stringValue' in value) return [key, value.stringValue];
      if ('boolValue' in value) return [key, value.boolValue];
      return [key, 'intValue' in value ? Number(value.intValue) : value.doubleValue];
    }),
  );
