import { type Detail, type DetailQuery, detail, type ExecutionEvent, type Summary, summary } from '@noetl/engine';
import type { Awaited } from './awaited.ts';
import { createFailures, type FailureReport } from './failures.ts';

/** All that views tell about an execution. */
export interface ExecutionReading {
  readonly summary: Summary;
  readonly detail: Detail;
  readonly failures: FailureReport;
  /** What tasks wait for now. */
  readonly awaited: readonly Awaited[];
}

/** Reads a log in pages, each event once. */
export interface ExecutionFold {
  take(events: Iterable<ExecutionEvent>): void;
  read(): Omit<ExecutionReading, 'awaited'>;
}

export function createExecutionFold(query?: DetailQuery): ExecutionFold {
  const runs = detail(query);
  const failures = createFailures();
  let summaryState = summary.initial;
  let detailState = runs.initial;
  return {
    take(events) {
      for (const event of events) {
        summaryState = summary.fold(summaryState, event);
        detailState = runs.fold(detailState, event);
        failures.take(event);
      }
    },
    read: () => ({
      summary: summary.view(summaryState),
      detail: runs.view(detailState),
      failures: failures.report(),
    }),
  };
}
