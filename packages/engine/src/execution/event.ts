import * as z from 'zod';
import { type EventName, PAYLOADS, type Payload } from './payloads.ts';

/** EVT-1: the envelope of every event. Order is `seq`, never the timestamp. */
interface Envelope<N extends EventName> {
  readonly event_id: string;
  readonly execution_id: string;
  /** From 1, without gaps. */
  readonly seq: number;
  /** When it happened, where it happened. */
  readonly timestamp: string;
  readonly source: 'server' | 'worker';
  readonly name: N;
  readonly entity_type: EntityType;
  readonly entity_id: string;
  readonly status: EventStatus;
  readonly step_run_id?: string;
  readonly iteration_id?: string;
  readonly task_run_id?: string;
  readonly task_label?: string;
  readonly visit?: number;
  readonly attempt?: number;
  /** The event that led to this one. */
  readonly parent_event_id?: string;
  readonly payload: Payload<N>;
}

export type EntityType = 'playbook' | 'workflow' | 'step' | 'task' | 'loop' | 'next';
export type EventStatus = 'in_progress' | 'success' | 'error' | 'skipped';
export type EventOf<N extends EventName> = { readonly [K in N]: Envelope<K> }[N];
export type ExecutionEvent = EventOf<EventName>;

const ENVELOPE = {
  event_id: z.string(),
  execution_id: z.string(),
  seq: z.number().int().min(1),
  timestamp: z.string(),
  source: z.enum(['server', 'worker']),
  entity_type: z.enum(['playbook', 'workflow', 'step', 'task', 'loop', 'next']),
  entity_id: z.string(),
  status: z.enum(['in_progress', 'success', 'error', 'skipped']),
  step_run_id: z.string().optional(),
  iteration_id: z.string().optional(),
  task_run_id: z.string().optional(),
  task_label: z.string().optional(),
  visit: z.number().int().min(1).optional(),
  attempt: z.number().int().min(1).optional(),
  parent_event_id: z.string().optional(),
};

export const EVENT_NAMES = Object.keys(PAYLOADS) as readonly EventName[];

/** One schema per event: the envelope with the payload of its name. */
export const EVENT_SCHEMAS = Object.fromEntries(
  EVENT_NAMES.map((name) => [name, z.object({ ...ENVELOPE, name: z.literal(name), payload: PAYLOADS[name] })]),
) as unknown as { readonly [N in EventName]: z.ZodType<EventOf<N>> };

const ENTITIES: readonly (readonly [prefix: string, type: EntityType])[] = [
  ['playbook.', 'playbook'],
  ['execution.', 'playbook'],
  ['signal.', 'playbook'],
  ['workflow.', 'workflow'],
  ['ctx.', 'workflow'],
  ['step.', 'step'],
  ['task.', 'task'],
  ['loop.', 'loop'],
  ['next.', 'next'],
];

const ENTITY_OF = new Map<EventName, EntityType>(
  EVENT_NAMES.map((name) => [name, ENTITIES.find(([prefix]) => name.startsWith(prefix))?.[1] ?? 'playbook']),
);

export const entityTypeOf = (name: EventName): EntityType => ENTITY_OF.get(name) ?? 'playbook';
