import type { Json, JsonMap } from '@noetl/playbook';
import type * as z from 'zod';
import { isMap } from '../is-map.ts';
import { EVENT_NAMES, EVENT_SCHEMAS, type ExecutionEvent } from './event.ts';
import type { EventName } from './payloads.ts';

/** Turns an event as an older release wrote it into the form of the next version. */
export type Upcast = (event: JsonMap) => JsonMap;

/**
 * What changed in an event since its first form, one step per version: the event says its version in `v` (absent: 1),
 * and is lifted by all steps from there on. No event has had a second form yet.
 */
const UPCASTS: Readonly<Partial<Record<EventName, readonly Upcast[]>>> = {};

export type EventReading =
  | { readonly kind: 'event'; readonly event: ExecutionEvent }
  | { readonly kind: 'unreadable'; readonly problem: string };

/**
 * A stored event, brought to its newest form and checked. It stays the very object that was read, with its keys in
 * their order, so that writing it again gives the same bytes.
 */
export function readEvent(
  stored: Json,
  upcasts: Readonly<Partial<Record<EventName, readonly Upcast[]>>> = UPCASTS,
): EventReading {
  if (!isMap(stored)) return unreadable('an event is an object');
  const name = EVENT_NAMES.find((known) => known === stored.name);
  if (name === undefined) return unreadable(`'${String(stored.name)}' is no event that this release knows`);
  const steps = upcasts[name] ?? [];
  const version = stored.v ?? 1;
  if (typeof version !== 'number' || version < 1 || version > steps.length + 1) {
    return unreadable(`version ${String(version)} of ${name} was written by a newer release`);
  }
  const event = steps.slice(version - 1).reduce<JsonMap>((older, lift) => lift(older), stored);
  const schema: z.ZodType = EVENT_SCHEMAS[name];
  const checked = schema.safeParse(event);
  if (checked.success) return { kind: 'event', event: event as unknown as ExecutionEvent };
  const issue = checked.error.issues[0];
  return unreadable(`${name}.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not as its schema says'}`);
}

/**
 * An event of our own log in its newest form. One of the newest release says no version and is taken as it is: it was
 * checked by nobody else than who wrote it, and reading a long log must not cost more than folding it.
 */
export function currentForm(
  event: ExecutionEvent,
  upcasts: Readonly<Partial<Record<EventName, readonly Upcast[]>>> = UPCASTS,
): EventReading {
  const stored = event as unknown as JsonMap;
  return stored.v === undefined && upcasts[event.name] === undefined
    ? { kind: 'event', event }
    : readEvent(stored, upcasts);
}

const unreadable = (problem: string): EventReading => ({ kind: 'unreadable', problem });
