import type { Json, JsonMap } from '@noetl/playbook';
import { jsonSize } from '../json-size.ts';
import { isTagged } from '../result-reference.ts';
import type { ExecutionEvent } from './event.ts';
import type { EventName } from './payloads.ts';

/** RES-1: a payload over this many bytes has its largest values stored elsewhere. */
export const INLINE_LIMIT = 64 * 1024;

/** A way into a payload; `*` stands for every key or index. */
type Slot = readonly string[];

/** Where values of users stand in the payloads of events, and may be replaced by a reference. */
const SLOTS: Readonly<Partial<Record<EventName, readonly Slot[]>>> = {
  'playbook.execution.requested': [['payload']],
  'playbook.request.evaluated': [['workload', '*']],
  'step.scheduled': [['args', '*']],
  'step.failed': [
    ['args', '*'],
    ['error', 'details'],
  ],
  'task.started': [['input']],
  'task.done': [
    ['outcome', 'result'],
    ['outcome', 'error', 'details'],
    ['set_ctx', '*'],
    ['set_iter', '*'],
    ['set_shared', '*', 'value'],
    ['next', 'error', 'details'],
  ],
  'task.waiting': [['form'], ['child', 'payload']],
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
    ['error', 'details'],
  ],
  'ctx.patched': [['patch', '*']],
  'signal.received': [['payload']],
  'execution.forked': [['state']],
  'workflow.finished': [['error', 'details']],
  'playbook.processed': [['result'], ['error', 'details']],
};

/** A value in an event that should be stored, and where it stands. */
export interface LargeValue {
  readonly path: readonly string[];
  readonly value: Json;
}

/** The values to store, largest first, so that the payload stays within the limit. */
export function largeValues({ name, payload }: ExecutionEvent, limit: number = INLINE_LIMIT): readonly LargeValue[] {
  const data = payload as unknown as JsonMap;
  let size = jsonSize(data);
  if (size <= limit) return [];
  const found = (SLOTS[name] ?? []).flatMap((slot) => valuesAt(data, slot, []));
  const sized = found.map((large) => ({ ...large, size: jsonSize(large.value) })).sort((a, b) => b.size - a.size);
  const chosen: LargeValue[] = [];
  for (const { size: bytes, path, value } of sized) {
    if (size <= limit) break;
    chosen.push({ path, value });
    size -= bytes - REFERENCE_SIZE;
  }
  return chosen;
}

/** What a reference takes in place of a value, roughly. */
const REFERENCE_SIZE = 300;

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
