import * as z from 'zod';

/** A worker in a process of its own that the server has heard of lately. */
export const Worker = z.object({
  name: z.string(),
  pool: z.string(),
  labels: z.record(z.string(), z.string()),
  slots: z.number(),
  host: z.string(),
  pid: z.number(),
  since: z.string(),
  seen: z.string(),
  drains: z.boolean(),
});
export type Worker = z.infer<typeof Worker>;

/** A pool as steps name it, with its labels; the worker inside the server counts, too. */
export const Pool = z.object({
  pool: z.string(),
  workers: z.number().describe('how many workers its work may be done by'),
  slots: z.number().describe('what they can do at a time, together'),
  waiting: z.number().describe('how many pieces of work wait to be taken'),
});
export type Pool = z.infer<typeof Pool>;
