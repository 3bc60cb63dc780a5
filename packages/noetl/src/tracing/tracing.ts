import type { Clock } from '../ports/clock.ts';
import type { EventLog } from '../ports/event-log.ts';
import { otlpJson } from './otlp-json.ts';
import { sendOtlp } from './otlp-sender.ts';
import type { Attributes } from './span.ts';
import { createSpanQueue, type SpanCounts } from './span-queue.ts';
import type { TraceSettings } from './trace-settings.ts';
import { createTracer, type Tracer } from './tracer.ts';

export interface TracingOptions {
  readonly settings: TraceSettings;
  readonly log: Pick<EventLog, 'read'>;
  readonly clock: Clock;
  readonly version: string;
  /** What is known of this process; what the settings say wins. */
  readonly resource: Attributes;
  /** Told what goes wrong with spans, once until it goes well again. */
  tell(text: string): void;
}

/** Spans of what is committed, on their way to a receiver. Nothing waits for them. */
export interface Tracing extends Pick<Tracer, 'committed'> {
  readonly traced: TraceSettings['sampled'];
  counts(): SpanCounts;
  /** Sends what is left, for a moment; a receiver that is away holds nobody up. */
  close(): Promise<void>;
}

/** How long the last spans may take, in milliseconds. */
const LAST_MOMENT = 2_000;

export function openTracing({ settings, log, clock, version, resource, tell }: TracingOptions): Tracing {
  const { target, queue: limits, sampled } = settings;
  const source = { version, resource: { 'service.name': 'noetl', ...resource, ...settings.resource } };
  const shown = `${target.url.origin}${target.url.pathname}`;
  for (const warning of settings.warnings) tell(`warning: ${warning}`);
  const queue = createSpanQueue({
    ...limits,
    clock,
    send: (spans, signal) => sendOtlp(otlpJson(spans, source), target, signal),
    trouble: (why) =>
      tell(
        why === undefined
          ? `spans are sent to ${shown} again`
          : `warning: spans cannot be sent to ${shown}: ${why}. Executions go on without them.`,
      ),
  });
  const tracer = createTracer({
    log,
    clock,
    ended: queue.add,
    unreadable: (execution, error) =>
      tell(
        `warning: the execution '${execution}' has no more spans: ${error instanceof Error ? error.message : error}`,
      ),
  });
  return {
    committed: tracer.committed,
    traced: sampled,
    counts: queue.counts,
    async close() {
      await tracer.close();
      await queue.close(LAST_MOMENT);
    },
  };
}
