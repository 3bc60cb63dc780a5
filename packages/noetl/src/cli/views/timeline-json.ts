import { type Span, type Summary, timestampOf } from '@noetl/engine';

/** The spans of a timeline as one line of JSON, with their times as events write them. */
export function timelineJson(summary: Summary, spans: readonly Span[]): string {
  const { execution_id, path, status, started_at, ended_at, duration_ms } = summary;
  const timed = spans.map(({ start, end, ...span }) => ({
    ...span,
    start: timestampOf(start),
    end: end === undefined ? null : timestampOf(end),
  }));
  return `${JSON.stringify({ execution_id, path, status, started_at, ended_at, duration_ms, spans: timed })}\n`;
}
