import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { otlpJson } from './otlp-json.ts';
import { type OtlpReceiver, otlpReceiver } from './otlp-receiver.testing.ts';
import { sendOtlp } from './otlp-sender.ts';
import type { TraceSpan } from './span.ts';

const SPAN: TraceSpan = {
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  span_id: '00f067aa0ba902b7',
  parent_span_id: undefined,
  name: 'step start',
  kind: 'internal',
  start: Date.UTC(2026, 0, 1),
  end: Date.UTC(2026, 0, 1) + 1_500.25,
  attributes: { text: 'ä"\n', whole: 3, part: 0.5, yes: true },
  events: [{ name: 'retry', at: Date.UTC(2026, 0, 1), attributes: { 'noetl.task.attempt': 1 } }],
  dropped_events: 2,
  links: [{ trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', span_id: '00f067aa0ba902b8' }],
  error: { kind: 'boom', message: 'no luck' },
};
const BODY = otlpJson([SPAN], { version: '1.2.3', resource: { 'service.name': 'rooms' } });

describe('sending spans', { timeout: 30_000 }, () => {
  let receiver: OtlpReceiver;
  beforeEach(async () => {
    receiver = await otlpReceiver();
  });
  afterEach(() => receiver.close());

  const send = (more: object = {}, signal = new AbortController().signal) =>
    sendOtlp(
      BODY,
      {
        url: new URL(`${receiver.url}/v1/traces`),
        headers: { 'x-key': 'k' },
        compressed: false,
        timeout: 10_000,
        ...more,
      },
      signal,
    );

  it.each([false, true])('says all of them, in the form of OTLP; compressed: %s', async (compressed) => {
    expect(await send({ compressed })).toEqual({ kind: 'taken', rejected: 0, why: '' });
    expect(receiver.mistakes).toEqual([]);
    expect(receiver.headers[0]).toMatchObject({ 'x-key': 'k', 'content-type': 'application/json' });
    expect(receiver.resources).toEqual([{ 'service.name': 'rooms' }]);
    expect(receiver.spans).toMatchObject([
      {
        name: 'step start',
        kind: 1,
        start: SPAN.start,
        attributes: SPAN.attributes,
        events: [{ name: 'retry' }],
        error: 'no luck',
      },
    ]);
    expect(receiver.text()).toContain('"endTimeUnixNano":"1767225601500250000"');
  });

  it.each([
    [{ status: 400 }, { kind: 'refused', why: 'it answers 400: not today' }],
    [{ status: 500 }, { kind: 'refused', why: 'it answers 500: not today' }],
    [{ status: 302 }, { kind: 'refused', why: 'it answers 302: not today' }],
    [
      { status: 429, retryAfter: '7' },
      { kind: 'later', after: 7_000, why: 'it answers 429: not today' },
    ],
    [
      { status: 503, retryAfter: '1e9' },
      { kind: 'later', after: 60_000, why: 'it answers 503: not today' },
    ],
    [{ status: 504 }, { kind: 'later', after: 0, why: 'it answers 504: not today' }],
    [{ rejects: 1 }, { kind: 'taken', rejected: 1, why: 'too odd' }],
  ])('understands the answer %j', async (manner, expected) => {
    receiver.manner = manner;
    expect(await send()).toEqual(expected);
  });

  it('waits no longer than it may', async () => {
    receiver.manner = 'never';
    expect(await send({ timeout: 50 })).toEqual({ kind: 'later', after: 0, why: 'it did not answer within 50 ms' });
    const abort = new AbortController();
    const sent = send({}, abort.signal);
    abort.abort();
    expect(await sent).toMatchObject({ kind: 'later' });
  });

  it('says why nobody is there', async () => {
    await receiver.close();
    expect(await send()).toMatchObject({ kind: 'later', why: 'ECONNREFUSED' });
    receiver = await otlpReceiver();
  });
});
