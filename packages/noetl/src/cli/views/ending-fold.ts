import { type ExecutionEvent, instantOf, type Summary } from '@noetl/engine';
import { createFailures, type FailureReport } from './failures.ts';

/** As much of an execution as its explanation needs. */
export interface EndingReading {
  readonly summary: Pick<Summary, 'execution_id' | 'status' | 'ended_at' | 'duration_ms'>;
  readonly failures: FailureReport;
}

/** Reads along while an execution runs: next to nothing for each event. */
export interface EndingFold {
  take(events: Iterable<ExecutionEvent>): void;
  read(): EndingReading;
}

export function createEndingFold(): EndingFold {
  const failures = createFailures();
  let summary: EndingReading['summary'] = {
    execution_id: '',
    status: 'requested',
    ended_at: undefined,
    duration_ms: undefined,
  };
  let startedAt = '';

  function take(event: ExecutionEvent): void {
    failures.take(event);
    switch (event.name) {
      case 'playbook.execution.requested':
        startedAt = event.timestamp;
        summary = { ...summary, execution_id: event.execution_id };
        return;
      case 'playbook.request.evaluated':
        summary = { ...summary, status: event.payload.error === undefined ? 'running' : 'rejected' };
        return;
      case 'playbook.paused':
        summary = { ...summary, status: 'paused' };
        return;
      case 'execution.forked':
      case 'playbook.resumed':
        summary = { ...summary, status: 'running' };
        return;
      case 'playbook.processed': {
        const { timestamp, payload } = event;
        const status = summary.status === 'rejected' ? 'rejected' : payload.status;
        const duration_ms = instantOf(timestamp) - instantOf(startedAt);
        summary = { ...summary, status, ended_at: timestamp, duration_ms };
        return;
      }
      default:
        return;
    }
  }

  return {
    take(events) {
      for (const event of events) take(event);
    },
    read: () => ({ summary, failures: failures.report() }),
  };
}
