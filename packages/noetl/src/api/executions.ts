import * as z from 'zod';
import { Page } from './page.ts';

export const STATUSES = ['running', 'paused', 'success', 'error', 'cancelled'] as const;
const Status = z.enum(STATUSES);
const Instant = z.string().describe('RFC 3339, in UTC, with milliseconds');

/** An execution in a line. */
export const Execution = z.object({
  execution_id: z.string(),
  number: z.number().int().describe('in the order in which the store has met them'),
  path: z.string(),
  version: z.union([z.string(), z.number()]).nullable(),
  content_hash: z.string(),
  parent_execution_id: z.string().nullable(),
  origin: z.object({ execution_id: z.string(), seq: z.number().int() }).nullable(),
  status: Status,
  started_at: Instant,
  ended_at: Instant.nullable(),
  duration_ms: z.number().nullable(),
  events: z.number().int().describe('how many there are: the position of the newest'),
  hash: z.string().describe('of the newest event, which pins all before it'),
});
export type Execution = z.infer<typeof Execution>;

export const ExecutionPage = Page(z.number().int()).extend({ executions: z.array(Execution) });
export type ExecutionPage = z.infer<typeof ExecutionPage>;

export const ExecutionDetail = Execution.extend({
  driver: z.object({ pid: z.number().int() }).nullable().describe('the process that runs it'),
});
export type ExecutionDetail = z.infer<typeof ExecutionDetail>;

const Payload = z.record(z.string(), z.unknown());

/** Who makes the id may ask again: what it began is answered again. */
const OwnId = z
  .string()
  .regex(/^[0-9a-z]{20}$/, 'expected 20 digits and small letters')
  .optional()
  .describe('an id of your own for the new execution');

export const StartBody = z
  .strictObject({
    path: z.string().min(1).max(1024).optional().describe('of a playbook in the catalog'),
    version: z.number().int().min(1).optional().describe('the newest unless given'),
    playbook_id: z.string().max(128).optional().describe('instead of a path: what registering answered'),
    payload: Payload.default({}).describe('merged over the workload of the playbook'),
    execution_id: OwnId,
  })
  .refine(({ path, playbook_id }) => (path === undefined) !== (playbook_id === undefined), {
    message: 'expected either path or playbook_id',
    path: ['path'],
  })
  .refine(({ version, playbook_id }) => version === undefined || playbook_id === undefined, {
    message: 'a playbook_id is of one version already',
    path: ['version'],
  });
export type StartBody = z.input<typeof StartBody>;

export const Started = z.object({ execution_id: z.string(), path: z.string(), version: Execution.shape.version });
export type Started = z.infer<typeof Started>;

/** EVT-1; what each event says is in docs/events.md. */
const Event = z.looseObject({
  event_id: z.string(),
  execution_id: z.string(),
  seq: z.number().int(),
  timestamp: Instant,
  source: z.enum(['server', 'worker']),
  name: z.string(),
  entity_type: z.string(),
  entity_id: z.string(),
  status: z.enum(['in_progress', 'success', 'error', 'skipped']),
  payload: z.record(z.string(), z.unknown()),
});
export const EventPage = Page(z.number().int()).extend({ events: z.array(Event) });

export const LogPage = Page(z.number().int()).extend({
  lines: z.array(
    z.object({
      id: z.number().int(),
      execution_id: z.string(),
      task_run_id: z.string(),
      attempt: z.number().int(),
      stream: z.enum(['stdout', 'stderr', 'noetl']),
      timestamp: Instant,
      text: z.string(),
    }),
  ),
});
export type LogPage = z.infer<typeof LogPage>;

export const ControlBody = z
  .strictObject({
    reason: z.string().max(4096).nullish().describe('why; it is recorded'),
    by: z.string().max(256).optional().describe('who asks; whose token it is unless given'),
  })
  .default({});
export type ControlBody = z.infer<typeof ControlBody>;
export const SignalBody = z.strictObject({
  name: z.string().min(1).max(256),
  payload: z.unknown().optional(),
  by: z.string().max(256).optional(),
});
export type SignalBody = z.infer<typeof SignalBody>;

/** What came of something that was asked of an execution. */
export const Control = z.object({
  execution_id: z.string(),
  status: Status,
  driven: z.boolean().describe('whether a process runs the execution'),
  events: z.array(Event).describe('the event that records it, and those after it; none if it changed nothing'),
});

export const ForkBody = z.strictObject({
  at: z.union([z.number().int().min(0), z.literal('failure')]).describe('the event to go on from'),
  path: z.string().max(1024).optional().describe('another playbook of the catalog'),
  version: z.number().int().min(1).optional(),
  workload: Payload.default({}),
  ctx: Payload.default({}),
  run: z.boolean().default(true).describe('false only writes it'),
  execution_id: OwnId,
});
export type ForkBody = z.input<typeof ForkBody>;
export const Forked = z.object({
  execution_id: z.string(),
  origin: z.object({ execution_id: z.string(), seq: z.number().int() }),
  notes: z.array(z.string()),
});
export type Forked = z.infer<typeof Forked>;

/** Whether what is stored is what was written. */
export const Verified = z.looseObject({ execution_id: z.string(), intact: z.boolean() });
