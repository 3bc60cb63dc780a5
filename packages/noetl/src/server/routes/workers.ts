import * as z from 'zod';
import { Pool, Worker } from '../../api/workers.ts';
import { Problem } from '../http/problem.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { KnownWorkers } from '../known-workers.ts';

const iso = (instant: number): string => new Date(instant).toISOString();

/** The workers in processes of their own that the server has heard of lately. */
export const workerRoutes = (
  workers: Pick<KnownWorkers, 'list' | 'drain'>,
  pools: () => readonly Pool[],
): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/workers',
    permission: 'read',
    tag: 'workers',
    summary: 'list the workers in processes of their own',
    answer: z.object({ workers: z.array(Worker) }),
    handle: async () => ({
      body: {
        workers: workers.list().map((known) => ({ ...known, since: iso(known.since), seen: iso(known.seen) })),
      },
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/pools',
    permission: 'read',
    tag: 'workers',
    summary: 'list the pools that workers are of or that work waits for',
    answer: z.object({ pools: z.array(Pool) }),
    handle: async () => ({ body: { pools: pools() } }),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/workers/{name}/drain',
    permission: 'workers',
    tag: 'workers',
    summary: 'ask a worker to take no work any more, and to end when what it does is done',
    params: z.object({ name: z.string() }),
    answer: z.object({ name: z.string() }),
    status: 202,
    handle: async ({ params: { name } }) => {
      if (!workers.drain(name)) {
        throw new Problem('NOETL_API_NOT_FOUND', `there is no worker '${name}'. GET /api/workers lists them.`);
      }
      return { status: 202, body: { name } };
    },
  }),
];
