import { type ExecutionEvent, milestoneOf } from '@noetl/engine';
import type { Clock } from '../../ports/clock.ts';
import { assertContinuous } from '../../ports/continuity.ts';
import { type Append, type EventLog, FIRST_EVENTS } from '../../ports/event-log.ts';
import { executionChangeOf } from '../../ports/execution-change.ts';
import { iterationEndOf } from '../../ports/iteration-end.ts';
import { leaseEndOf } from '../../ports/lease-end.ts';
import type { Call } from './call.ts';
import { createSqliteLeases } from './leases.ts';
import type { EventMark, StoredAppend } from './sql/event-log.ts';
import { eventsIn } from './stored-events.ts';

/** Events become texts here, and values there: the file is asked for nothing but texts. */
export function createSqliteEventLog(call: Call, clock: Clock): EventLog {
  return {
    ...createSqliteLeases(call, clock),
    append: async (batch) => {
      for (const append of batch) assertContinuous(append);
      return call('append', batch.map(storedAppend), clock.now());
    },
    read: async (execution, after, limit) => {
      const events = eventsIn(execution, await call('read', execution, after, limit));
      const skipped = after + 1 - (events[0]?.seq ?? after + 1);
      return events.slice(skipped, skipped + limit);
    },
    position: (execution) => call('position', execution),
    iterations: async (source, from, limit) =>
      eventsIn(source.execution_id, await call('iterations', source, from, limit)),
    milestones: async (execution, kind, after) => {
      const rows = await call('milestones', execution, kind, after);
      if (rows === undefined) return undefined;
      const first = Math.max(after, FIRST_EVENTS);
      return eventsIn(execution, rows).filter((event) => event.seq > first && milestoneOf(event) === kind);
    },
  };
}

const storedAppend = ({ events, under, ...terms }: Append): StoredAppend => ({
  ...terms,
  // Whoever reports may hand in more about a lease than can be sent.
  under: under.map(({ work, epoch }) => ({ work, epoch })),
  texts: events.map((event) => JSON.stringify(event)),
  marks: events.flatMap(markOf),
});

function markOf(event: ExecutionEvent, at: number): readonly EventMark[] {
  const [iteration, lease, facts] = [iterationEndOf(event), leaseEndOf(event), executionChangeOf(event)];
  const milestone = event.seq > FIRST_EVENTS ? milestoneOf(event) : undefined;
  if (iteration === undefined && lease === undefined && facts === undefined && milestone === undefined) return [];
  return [
    {
      at,
      ...(iteration === undefined ? {} : { iteration }),
      ...(lease === undefined ? {} : { lease }),
      ...(facts === undefined ? {} : { facts }),
      ...(milestone === undefined ? {} : { milestone }),
    },
  ];
}
