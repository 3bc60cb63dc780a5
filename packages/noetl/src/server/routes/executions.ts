import type { JsonMap } from '@noetl/playbook';
import * as z from 'zod';
import { executionJson } from '../../api/execution-entry.ts';
import { ExecutionDetail, ExecutionPage, STATUSES, StartBody, Started } from '../../api/executions.ts';
import { limit } from '../../api/page.ts';
import type { Catalog, CatalogEntry } from '../../ports/catalog.ts';
import type { ExecutionFilter, Executions } from '../../ports/executions.ts';
import { type Caller, isWithin } from '../http/permissions.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { knownPlaybook, playbookById } from './catalog.ts';
import { ExecutionId, knownExecution } from './known-execution.ts';

export interface ExecutionWork {
  readonly executions: Executions;
  readonly catalog: Catalog;
  /** Starts a version of a playbook. With a key, what it began already is answered again. */
  start(request: StartRequest): Promise<{ readonly execution: string; readonly isNew: boolean }>;
  /** Goes on with an execution that no process runs; false if one does. */
  goOn(execution: string): Promise<boolean>;
  /** The process that runs the execution. */
  driverOf(execution: string): Promise<{ readonly pid: number } | undefined>;
}

export interface StartRequest {
  readonly entry: CatalogEntry;
  readonly payload: JsonMap;
  /** The id that the caller wants it to have. */
  readonly id: string | undefined;
  readonly key: string | undefined;
  /** The header of W3C Trace Context: the trace of the caller goes on. */
  readonly traceparent?: string | undefined;
  readonly caller: Caller;
}

const Filter = {
  status: z.enum(STATUSES).optional(),
  path: z.string().max(1024).optional(),
  parent: z.string().max(512).optional().describe('those that this execution called'),
  top: z.enum(['true', 'false']).optional().describe('true: those that no execution called'),
};

/** Executions: begin, list, look. */
export const executionRoutes = (work: ExecutionWork): readonly Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/executions',
    permission: 'run',
    tag: 'executions',
    summary: 'start a playbook; the header Idempotency-Key makes repeating it safe, traceparent continues a trace',
    body: StartBody,
    answer: Started,
    status: 201,
    handle: async ({ body, caller, headers }) => {
      const { path, version, playbook_id, payload, execution_id: id } = body;
      const entry =
        playbook_id === undefined
          ? await knownPlaybook(work.catalog, path ?? '', version, caller)
          : await playbookById(work.catalog, playbook_id, caller);
      const key = headers['idempotency-key'];
      const { traceparent } = headers;
      const asked = { entry, payload: payload as JsonMap, id, key, traceparent, caller };
      const { execution, isNew } = await work.start(asked);
      const started = { execution_id: execution, path: entry.path, version: entry.version };
      const about = `${execution} of ${entry.path}@${entry.version}`;
      return { status: isNew ? 201 : 200, body: started, headers: { location: `/api/executions/${execution}` }, about };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/executions',
    permission: 'read',
    tag: 'executions',
    summary: 'list executions, newest first',
    query: z.object({ ...Filter, before: z.coerce.number().int().min(1).optional(), limit: limit(50) }),
    answer: ExecutionPage,
    handle: async ({ query, caller }) => {
      const { status, path, parent, top } = query;
      const filter: ExecutionFilter = {
        ...(caller.prefix === '' ? {} : { within: caller.prefix }),
        ...(status === undefined ? {} : { status }),
        ...(path === undefined ? {} : { path }),
        ...(parent === undefined ? (top === 'true' ? { parent: null } : {}) : { parent }),
      };
      const found = await work.executions.list(filter, query.before, query.limit + 1);
      const page = found.slice(0, query.limit);
      const next = found.length > query.limit ? (page.at(-1)?.number ?? null) : null;
      return { body: { executions: page.map(executionJson), next } };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/unfinished',
    permission: 'read',
    tag: 'executions',
    summary: 'list executions that are not over, oldest first',
    query: z.object({ after: z.coerce.number().int().min(0).default(0), limit: limit(50) }),
    answer: ExecutionPage,
    handle: async ({ query, caller }) => {
      const found = await work.executions.unfinished(query.after, query.limit);
      const next = found.length === query.limit ? (found.at(-1)?.number ?? null) : null;
      const visible = found.filter(({ path }) => isWithin(path, caller.prefix));
      return { body: { executions: visible.map(executionJson), next } };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/executions/{id}',
    permission: 'read',
    tag: 'executions',
    summary: 'an execution in a line, and whether a process runs it',
    params: ExecutionId,
    answer: ExecutionDetail,
    handle: async ({ params: { id }, caller }) => {
      const entry = await knownExecution(work.executions, id, caller);
      return { body: { ...executionJson(entry), driver: (await work.driverOf(id)) ?? null } };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/executions/{id}/continue',
    permission: 'run',
    tag: 'executions',
    summary: 'go on with an execution that no process runs',
    params: ExecutionId,
    answer: z.object({ execution_id: z.string(), continued: z.boolean() }),
    handle: async ({ params: { id }, caller }) => {
      await knownExecution(work.executions, id, caller);
      return { body: { execution_id: id, continued: await work.goOn(id) } };
    },
  }),
];
