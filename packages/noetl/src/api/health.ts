import * as z from 'zod';

/** Whether the process answers at all. */
export const Health = z.object({ status: z.literal('ok') });

/** Whether it goes on with what its store holds. */
export const Ready = z.object({
  ready: z.literal(true),
  executions: z.number().int().describe('executions under way in this process'),
});

export const Version = z.object({
  version: z.string(),
  api: z.literal(1),
});
