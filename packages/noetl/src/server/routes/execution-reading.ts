import * as z from 'zod';
import { Verified } from '../../api/executions.ts';
import type { Executions } from '../../ports/executions.ts';
import type { Caller } from '../http/permissions.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { ExecutionId, knownExecution } from './known-execution.ts';

/** What is read of executions beyond their events. Answers are JSON texts, in the form that the command line prints. */
export interface ReadingWork {
  readonly executions: Executions;
  status(id: string): Promise<string>;
  state(id: string, at: number | undefined): Promise<string>;
  /** `{status, error, result}` of the execution, or `{result}` of a step, with what references stand for. */
  result(id: string, step: string | undefined): Promise<AsyncIterable<string>>;
  /** The bytes of a stored value. */
  value(stored: z.output<typeof StoredValue>): Promise<AsyncIterable<Uint8Array>>;
  diff(a: string, b: string, limit: number): Promise<string>;
  verify(id: string): Promise<string>;
  /** How many events belong to no execution. */
  strays(): Promise<number>;
}

const StoredValue = z.object({
  store: z.string().max(256),
  key: z.string().regex(/^[0-9a-f]{64}$/),
  checksum: z.string().max(256),
  size: z.coerce.number().int().min(0),
});

const JSON_TYPE = 'application/json; charset=utf-8';

/** What came of executions, and what is behind it. */
export const readingRoutes = (work: ReadingWork): readonly Route[] => {
  const known = (id: string, caller: Caller) => knownExecution(work.executions, id, caller);
  return [
    defineRoute({
      method: 'GET',
      path: '/api/executions/{id}/status',
      permission: 'read',
      tag: 'executions',
      summary: 'an execution on a page: its step runs, loops, failures, and what it waits for',
      params: ExecutionId,
      answer: z.looseObject({ execution_id: z.string(), status: z.string() }),
      handle: async ({ params: { id }, caller }) => {
        await known(id, caller);
        return { text: await work.status(id), type: JSON_TYPE };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/executions/{id}/state',
      permission: 'read',
      tag: 'executions',
      summary: 'what the execution was in the middle of, as of any event',
      params: ExecutionId,
      query: z.object({ at: z.coerce.number().int().min(1).optional().describe('the seq; the newest unless given') }),
      answer: z.looseObject({ execution_id: z.string() }),
      handle: async ({ params: { id }, query, caller }) => {
        await known(id, caller);
        return { text: await work.state(id, query.at), type: JSON_TYPE };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/executions/{id}/result',
      permission: 'read',
      tag: 'executions',
      summary: 'the result of an execution that is over, or of a step, however large',
      params: ExecutionId,
      query: z.object({ step: z.string().max(1024).optional() }),
      answer: z.object({ status: z.string().optional(), error: z.unknown().optional(), result: z.unknown() }),
      handle: async ({ params: { id }, query, caller }) => {
        await known(id, caller);
        return { stream: await work.result(id, query.step), type: JSON_TYPE };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/values',
      permission: 'read',
      tag: 'executions',
      summary: 'the JSON of a value that an event refers to, by the hash of its content',
      query: StoredValue,
      answer: z.unknown(),
      handle: async ({ query }) => ({ stream: await work.value(query), type: JSON_TYPE }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/executions/{id}/diff',
      permission: 'read',
      tag: 'executions',
      summary: 'two executions beside each other',
      params: ExecutionId,
      query: z.object({
        with: z.string().min(1).max(512).describe('the other execution'),
        limit: z.coerce.number().int().min(1).max(1_000).default(20),
      }),
      answer: z.looseObject({ equal: z.boolean() }),
      handle: async ({ params: { id }, query, caller }) => {
        await known(id, caller);
        await known(query.with, caller);
        return { text: await work.diff(id, query.with, query.limit), type: JSON_TYPE };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/executions/{id}/verify',
      permission: 'verify',
      tag: 'executions',
      summary: 'compare what is stored of an execution with its log',
      params: ExecutionId,
      answer: Verified,
      handle: async ({ params: { id }, caller }) => {
        await known(id, caller);
        return { text: await work.verify(id), type: JSON_TYPE };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/strays',
      permission: 'verify',
      tag: 'executions',
      summary: 'how many events of the store belong to no execution; there should be none',
      answer: z.object({ events: z.number().int() }),
      handle: async () => ({ body: { events: await work.strays() } }),
    }),
  ];
};
