import { type ExecutionEvent, spanIdOf } from '@noetl/engine';
import { describe, expect, it } from 'vitest';
import { createSimulation } from '../simulation/simulate.testing.ts';
import { createSometimes } from '../simulation/sometimes.testing.ts';
import { randomStory, TELLINGS } from '../simulation/story.testing.ts';
import { createExecutionSpans } from './execution-spans.ts';
import type { TraceSpan } from './span.ts';

/** Logs of random workflows whose processes crash, stall and take over from each other, all with children and cancels. */
async function randomLogs(stories: number): Promise<readonly (readonly ExecutionEvent[])[]> {
  const simulate = createSimulation();
  const logs: (readonly ExecutionEvent[])[] = [];
  for (let nth = 0; nth < stories; nth++) {
    const { ending, violation } = await simulate(randomStory(1 + nth * TELLINGS), createSometimes());
    expect(violation).toBeUndefined();
    for (const { events } of ending.watch.executions.values()) logs.push(events);
  }
  return logs;
}

function spansOf(log: readonly ExecutionEvent[], from = 1, to = log.length): readonly TraceSpan[] {
  const spans: TraceSpan[] = [];
  let seq = 0;
  const fold = createExecutionSpans((span) => {
    if (seq >= from && seq <= to) spans.push(span);
  });
  for (const event of log.slice(0, to)) {
    seq = event.seq;
    fold.take(event);
  }
  return spans;
}

describe('the spans of random logs', { timeout: 120_000 }, () => {
  it('are one tree for each execution, in one trace, and each ends once', async () => {
    const logs = await randomLogs(20);
    expect(logs.length).toBeGreaterThan(20);
    for (const log of logs) {
      const spans = spansOf(log);
      const [{ execution_id = '' } = {}] = log;
      const ids = new Set(spans.map(({ span_id }) => span_id));
      expect(ids.size).toBe(spans.length);
      expect(new Set(spans.map(({ trace_id }) => trace_id)).size).toBe(1);
      const roots = spans.filter(({ parent_span_id }) => parent_span_id === undefined || !ids.has(parent_span_id));
      expect(roots.map(({ span_id }) => span_id)).toEqual([spanIdOf(execution_id)]);
      expect(spans.at(-1)).toBe(roots[0]);
      for (const { start, end } of spans) expect(start).toBeLessThanOrEqual(end);
      const begun = new Set(log.flatMap(({ step_run_id: run, task_run_id: task }) => [run, task].filter(Boolean)));
      for (const id of begun) expect(ids, id).toContain(spanIdOf(id ?? ''));
    }
  });

  it('are the same where the process ends anywhere and another reads the log and goes on', async () => {
    for (const [nth, log] of (await randomLogs(10)).entries()) {
      const whole = spansOf(log);
      for (const cut of [1, Math.floor(log.length / 3) + (nth % 5), log.length - 2]) {
        expect([...spansOf(log, 1, cut), ...spansOf(log, cut + 1)]).toEqual(whole);
      }
    }
  });
});
