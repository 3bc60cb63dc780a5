import type { Json, JsonMap } from '@noetl/playbook';
import { isSurelySmall, jsonSize } from '../json-size.ts';
import { isTagged } from '../result-reference.ts';
import type { ExecutionEvent } from './event.ts';
import type { EventName } from './payloads.ts';

/** RES-1: a payload over this many bytes has its largest values stored elsewhere. */
export const INLINE_LIMIT = 64 * 1024;

/** A way into a payload; `*` stands for every key or index. */
type Slot = readonly string[];

/** Where values of users stand in the payloads of events, and may be replaced by a reference. */
const SLOTS: Readonly<Partial<Record<EventName, readonly Slot[]>>> = {
  'playbook.execution.requested': [['payload'], ['edits', 'workload'], ['edits', 'ctx']],
  'playbook.request.evaluated': [
    ['workload', '*'],
    ['error', 'details'],
  ],
  'step.scheduled': [['args', '*']],
  'step.failed': [
    ['args', '*'],
    ['error', 'details'],
  ],
  'task.started': [['input']],
  'task.done': [
    ['outcome', 'result'],
    ['outcome', 'error', 'details'],
    ['outcome', 'http'],
    ['outcome', 'pg'],
    ['outcome', 'py'],
    ['set_ctx', '*'],
    ['set_iter', '*'],
    ['set_shared', '*', 'value'],
    ['next', 'error', 'details'],
  ],
  'task.waiting': [['form'], ['child', 'payload'], ['child', 'version']],
  'task.resumed': [
    ['outcome', 'result'],
    ['outcome', 'error', 'details'],
  ],
  'step.done': [['result']],
  'loop.started': [['in']],
  'loop.iteration.done': [['result']],
  'loop.iteration.failed': [['error', 'details']],
  'loop.done': [['result']],
  'next.evaluated': [
    ['arcs', '*', 'args', '*'],
    ['arcs', '*', 'error', 'details'],
    ['error', 'details'],
  ],
  'ctx.patched': [['patch', '*']],
  'signal.received': [['payload']],
  'execution.forked': [['state']],
  'workflow.finished': [['error', 'details']],
  'playbook.processed': [['result'], ['error', 'details']],
};

/** Maps that may be replaced as a whole, where their values are many and small. */
const WHOLE: ReadonlySet<string> = new Set(['workload', 'args']);

/** A value in an event that should be stored, and where it stands. */
export interface LargeValue {
  readonly path: readonly string[];
  readonly value: Json;
}

/** The values to store, largest first, so that the payload stays within the limit. */
export function largeValues({ name, payload }: ExecutionEvent, limit: number = INLINE_LIMIT): readonly LargeValue[] {
  const data = payload as unknown as JsonMap;
  if (isSurelySmall(data, limit)) return NONE;
  const size = jsonSize(data);
  if (size <= limit) return NONE;
  const slots = SLOTS[name] ?? [];
  const fine = choose(data, slots, size - limit);
  return fine.excess <= 0 ? fine.chosen : choose(data, slots.map(wholeSlot), size - limit).chosen;
}

const NONE: readonly LargeValue[] = [];

const wholeSlot = (slot: Slot): Slot => (WHOLE.has(slot.at(-2) ?? '') ? slot.slice(0, -1) : slot);

function choose(data: JsonMap, slots: readonly Slot[], over: number) {
  const found = slots.flatMap((slot) => valuesAt(data, slot, []));
  const sized = found.map((large) => ({ large, saved: jsonSize(large.value) - REFERENCE_SIZE }));
  const chosen: LargeValue[] = [];
  let excess = over;
  for (const { large, saved } of sized.sort((a, b) => b.saved - a.saved)) {
    if (excess <= 0 || saved <= 0) break;
    chosen.push(large);
    excess -= saved;
  }
  return { chosen, excess };
}

/** What a reference takes in place of a value, roughly. */
const REFERENCE_SIZE = 600;

/** The bytes that an entry of a map takes at least, when its value is stored elsewhere if that is shorter. */
const leastSize = (key: string, value: Json): number => jsonSize(key) + Math.min(jsonSize(value), REFERENCE_SIZE) + 2;

/** What one event may write to ctx or iter: beside it stand an outcome and an error. */
const PATCH_LIMIT = 40 * 1024;

/** Whether the writes of one task are too many for its event, whatever is stored elsewhere. */
export const isPatchTooLarge = (...patches: readonly JsonMap[]): boolean =>
  patches.flatMap((patch) => Object.entries(patch)).reduce((sum, [key, value]) => sum + leastSize(key, value), 0) >
  PATCH_LIMIT;

/** A patch in parts that each fit into an event. */
export function patchParts(patch: JsonMap): readonly JsonMap[] {
  const parts: [string, Json][][] = [[]];
  let room = PATCH_LIMIT;
  for (const [key, value] of Object.entries(patch)) {
    room -= leastSize(key, value);
    if (room < 0 && parts.at(-1)?.length !== 0) {
      parts.push([]);
      room = PATCH_LIMIT - leastSize(key, value);
    }
    parts.at(-1)?.push([key, value]);
  }
  return parts.map((entries) => Object.fromEntries(entries));
}

function valuesAt(value: Json | undefined, slot: Slot, path: readonly string[]): readonly LargeValue[] {
  if (value === undefined) return [];
  const [key, ...rest] = slot;
  if (key === undefined) return isTagged(value) ? [] : [{ path, value }];
  if (typeof value !== 'object' || value === null) return [];
  const keys = key === '*' ? Object.keys(value) : Object.hasOwn(value, key) ? [key] : [];
  return keys.flatMap((at) => valuesAt((value as JsonMap)[at], rest, [...path, at]));
}

/** The event with a value of its payload replaced. */
export const withValueAt = (event: ExecutionEvent, path: readonly string[], value: Json): ExecutionEvent =>
  ({ ...event, payload: replaced(event.payload as unknown as JsonMap, path, value) }) as unknown as ExecutionEvent;

function replaced(data: Json, [key, ...rest]: readonly string[], value: Json): Json {
  if (key === undefined) return value;
  if (Array.isArray(data))
    return data.map((item, index) => (String(index) === key ? replaced(item, rest, value) : item));
  const map = data as JsonMap;
  return { ...map, [key]: replaced(map[key] ?? null, rest, value) };
}
