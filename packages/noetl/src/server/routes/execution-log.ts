import { timestampOf } from '@noetl/engine';
import * as z from 'zod';
import { EventPage, LogPage } from '../../api/executions.ts';
import { limit } from '../../api/page.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Doorbell } from '../../ports/doorbell.ts';
import type { EventLog } from '../../ports/event-log.ts';
import type { Executions } from '../../ports/executions.ts';
import type { Inspection } from '../../ports/inspection.ts';
import type { Snapshots } from '../../ports/snapshots.ts';
import type { ToolLogs } from '../../ports/tool-logs.ts';
import { Problem } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { liveEvents } from '../live-events.ts';
import { ExecutionId, knownExecution } from './known-execution.ts';

export interface LogWork {
  readonly executions: Executions;
  readonly log: EventLog;
  readonly inspection: Inspection;
  readonly toolLogs: ToolLogs;
  readonly snapshots: Snapshots;
  readonly doorbell: Doorbell;
  readonly clock: Clock;
}

const After = z.coerce.number().int().min(0).default(0);

/** What happened, event by event, as it is stored. */
export const logRoutes = (work: LogWork): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/executions/{id}/events',
    permission: 'read',
    tag: 'log',
    summary: 'events behind a position, oldest first',
    params: ExecutionId,
    query: z.object({ after: After, limit: limit(100) }),
    answer: EventPage,
    handle: async ({ params: { id }, query, caller }) => {
      await knownExecution(work.executions, id, caller);
      const found = await work.log.read(id, query.after, query.limit + 1);
      const events = found.slice(0, query.limit);
      return { body: { events, next: found.length > query.limit ? (events.at(-1)?.seq ?? null) : null } };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/executions/{id}/live',
    permission: 'read',
    tag: 'log',
    summary: 'events as they happen, up to the last, as server-sent events; Last-Event-ID goes on behind a position',
    params: ExecutionId,
    query: z.object({ after: z.coerce.number().int().min(0).optional() }),
    answer: 'text/event-stream',
    handle: async ({ params: { id }, query, caller, headers, signal }) => {
      const { position, endedAt } = await knownExecution(work.executions, id, caller);
      const after = query.after ?? positionOf(headers['last-event-id']);
      if (after > position) {
        const found = `Last-Event-ID or after is ${after}`;
        throw new Problem(
          'NOETL_API_REQUEST',
          `${found}, but the execution '${id}' has only ${position} events so far.`,
        );
      }
      // By this a browser knows that it need not ask again.
      if (after === position && endedAt !== undefined) return { nothing: true };
      return { type: 'text/event-stream', stream: liveEvents({ ...work, execution: id, after, signal }) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/executions/{id}/logs',
    permission: 'read',
    tag: 'log',
    summary: 'what tools printed, oldest first',
    params: ExecutionId,
    query: z.object({ after: After, limit: limit(100) }),
    answer: LogPage,
    handle: async ({ params: { id }, query, caller }) => {
      await knownExecution(work.executions, id, caller);
      const found = await work.toolLogs.read({ execution: id }, query.after, query.limit + 1);
      const page = found.slice(0, query.limit);
      const lines = page.map(({ id: number, execution, taskRun, attempt, stream, at, text }) => ({
        id: number,
        execution_id: execution,
        task_run_id: taskRun,
        attempt,
        stream,
        timestamp: timestampOf(at),
        text,
      }));
      return { body: { lines, next: found.length > query.limit ? (page.at(-1)?.id ?? null) : null } };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/executions/{id}/milestones',
    permission: 'read',
    tag: 'log',
    summary: 'the events of a long execution that tell its story, behind a position',
    params: ExecutionId,
    query: z.object({ kind: z.enum(['story', 'trouble']), after: After }),
    answer: z.object({ events: EventPage.shape.events.nullable().describe('null where they are not listed') }),
    handle: async ({ params: { id }, query, caller }) => {
      await knownExecution(work.executions, id, caller);
      return { body: { events: (await work.log.milestones(id, query.kind, query.after)) ?? null } };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/executions/{id}/iterations',
    permission: 'read',
    tag: 'log',
    summary: 'the ends of the iterations of a loop, by index',
    params: ExecutionId,
    query: z.object({
      loop: z.string().max(1024),
      until: z.coerce.number().int().min(0).optional(),
      from: After,
      limit: limit(100),
    }),
    answer: z.object({
      events: EventPage.shape.events,
      size: z.number().int().nullable().describe('from 0 on: how many of the loop are known'),
    }),
    handle: async ({ params: { id }, query, caller }) => {
      await knownExecution(work.executions, id, caller);
      const source = { execution_id: id, loop: query.loop, until: query.until ?? null };
      const size = query.from === 0 ? await work.inspection.sourceSize(source) : null;
      return { body: { events: await work.log.iterations(source, query.from, query.limit), size } };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/executions/{id}/snapshot',
    permission: 'read',
    tag: 'log',
    summary: 'the newest state that is kept at a position or before it, from which the log can be folded on',
    params: ExecutionId,
    query: z.object({ format: z.coerce.number().int(), until: z.coerce.number().int().min(0) }),
    answer: z.object({
      snapshot: z.object({ position: z.number().int(), format: z.number().int(), state: z.string() }).nullable(),
    }),
    handle: async ({ params: { id }, query, caller }) => {
      await knownExecution(work.executions, id, caller);
      const found = await work.snapshots.find(id, query.format, query.until);
      if (found === undefined) return { body: { snapshot: null } };
      const { position, format, state } = found;
      return { body: { snapshot: { position, format, state } } };
    },
  }),
];

function positionOf(lastEventId: string | undefined): number {
  if (lastEventId === undefined || lastEventId === '') return 0;
  const position = Number(lastEventId);
  if (Number.isSafeInteger(position) && position >= 0) return position;
  throw new Problem('NOETL_API_REQUEST', `the header Last-Event-ID is '${lastEventId}', expected the seq of an event.`);
}
