import { type Instant, spanIdOf } from '@noetl/engine';
import type { Attributes, SpanError, SpanEvent, SpanKind, SpanLink, TraceSpan } from './span.ts';

/** A span that is not over yet. */
export interface OpenSpan {
  readonly id: string;
  readonly span_id: string;
  readonly parent_span_id: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly start: Instant;
  readonly links: readonly SpanLink[];
  attributes: Attributes;
  readonly events: SpanEvent[];
  dropped: number;
}

/** A loop or a retry may go on for ever; what happened first tells most. */
const MOST_EVENTS = 64;
/** Characters of a text in a span. */
const LONGEST_TEXT = 1_024;

type Beginning = Pick<OpenSpan, 'id' | 'parent_span_id' | 'name' | 'start'> &
  Partial<Pick<OpenSpan, 'kind' | 'links'>> & { readonly attributes: Loose };

/** Attributes of which some may not be known. */
type Loose = Readonly<Record<string, string | number | boolean | null | undefined>>;

export const openSpan = ({ kind = 'internal', links = [], attributes, ...rest }: Beginning): OpenSpan => ({
  ...rest,
  span_id: spanIdOf(rest.id),
  kind,
  links,
  attributes: known(attributes),
  events: [],
  dropped: 0,
});

export function describe(span: OpenSpan, attributes: Loose): void {
  span.attributes = { ...span.attributes, ...known(attributes) };
}

export function note(span: OpenSpan, name: string, at: Instant, attributes: Loose = {}): void {
  if (span.events.length < MOST_EVENTS) span.events.push({ name, at, attributes: known(attributes) });
  else span.dropped += 1;
}

/** Clocks of different machines differ: a span never ends before it begins. */
export const endedSpan = (
  { span_id, parent_span_id, name, kind, start, links, attributes, events, dropped }: OpenSpan,
  trace_id: string,
  end: Instant,
  error: SpanError | undefined,
): TraceSpan => ({
  trace_id,
  span_id,
  parent_span_id,
  name,
  kind,
  start,
  end: Math.max(start, end),
  attributes: error === undefined ? attributes : { ...attributes, 'error.type': error.kind },
  events,
  dropped_events: dropped,
  links,
  error: error && { kind: error.kind, message: cut(error.message) },
});

const known = (attributes: Loose): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, typeof value === 'string' ? cut(value) : value] as const],
    ),
  );

const cut = (text: string): string => (text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT - 1)}…`);
