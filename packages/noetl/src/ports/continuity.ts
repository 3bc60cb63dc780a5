import type { Append } from './event-log.ts';

/** Fails unless the events are those of the execution that follow the expected position without a gap (EVT-1). */
export function assertContinuous({ execution, expected, events }: Append): void {
  for (const [offset, { execution_id, seq, name }] of events.entries()) {
    if (execution_id === execution && seq === expected + 1 + offset) continue;
    throw new Error(
      `${name} is event ${seq} of '${execution_id}', but was to be appended as ${expected + 1 + offset} of '${execution}'`,
    );
  }
}
