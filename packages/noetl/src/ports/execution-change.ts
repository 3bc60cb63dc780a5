import { type ExecutionEvent, instantOf } from '@noetl/engine';
import { type ExecutionFacts, UNKNOWN_FACTS } from './execution-facts.ts';

/** What the index of executions has to say after an event. */
export const factsAfter = (facts: ExecutionFacts, event: ExecutionEvent): ExecutionFacts => {
  const change = executionChangeOf(event);
  return change === undefined ? facts : { ...facts, ...change };
};

/** The same from the log alone: the index can be lost, and be made again. */
export const factsOfLog = (events: readonly ExecutionEvent[]): ExecutionFacts =>
  events.reduce(factsAfter, UNKNOWN_FACTS);

/** Which facts a log changes in the transaction that appends the event. */
export function executionChangeOf(event: ExecutionEvent): Partial<ExecutionFacts> | undefined {
  switch (event.name) {
    case 'playbook.execution.requested': {
      const { path, version, content_hash, parent_execution_id, origin: from } = event.payload;
      const requestedAt = instantOf(event.timestamp);
      const origin = from && { execution: from.execution_id, position: from.seq };
      return { path, version, contentHash: content_hash, parent: parent_execution_id, origin, requestedAt };
    }
    case 'playbook.paused':
      return { status: 'paused' };
    case 'playbook.resumed':
      return { status: 'running' };
    case 'playbook.processed':
      return { status: event.payload.status, endedAt: instantOf(event.timestamp) };
    default:
      return undefined;
  }
}
