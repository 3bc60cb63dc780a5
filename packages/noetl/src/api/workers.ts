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
