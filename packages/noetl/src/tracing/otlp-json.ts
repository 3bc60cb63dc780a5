import type { Instant } from '@noetl/engine';
import type { Attributes, SpanKind, TraceSpan } from './span.ts';

/** What all spans of a process belong to. */
export interface TraceSource {
  /** Attributes of the resource: `service.name` and others. */
  readonly resource: Attributes;
  readonly version: string;
}

/** The body of an OTLP/HTTP request, as JSON (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). */
export const otlpJson = (spans: readonly TraceSpan[], { resource, version }: TraceSource): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'noetl', version }, spans: spans.map(spanOf) }],
      },
    ],
  });

const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const ERROR = 2;

const spanOf = (span: TraceSpan) => ({
  traceId: span.trace_id,
  spanId: span.span_id,
  ...(span.parent_span_id === undefined ? {} : { parentSpanId: span.parent_span_id }),
  name: span.name,
  kind: KINDS[span.kind],
  startTimeUnixNano: nanoseconds(span.start),
  endTimeUnixNano: nanoseconds(span.end),
  attributes: attributesOf(span.attributes),
  ...(span.events.length === 0
    ? {}
    : {
        events: span.events.map(({ name, at, attributes }) => ({
          timeUnixNano: nanoseconds(at),
          name,
          attributes: attributesOf(attributes),
        })),
      }),
  ...(span.dropped_events === 0 ? {} : { droppedEventsCount: span.dropped_events }),
  ...(span.links.length === 0
    ? {}
    : { links: span.links.map(({ trace_id, span_id }) => ({ traceId: trace_id, spanId: span_id })) }),
  status: span.error === undefined ? {} : { code: ERROR, message: span.error.message },
});

const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

/** Integers of 64 bits are texts in OTLP. */
function anyValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: `${value}` } : { doubleValue: value };
}

/** Milliseconds may have parts; a nanosecond since 1970 is more than a number holds. */
const nanoseconds = (at: Instant): string =>
  `${BigInt(Math.floor(at)) * 1_000_000n + BigInt(Math.round((at % 1) * 1_000_000))}`;
