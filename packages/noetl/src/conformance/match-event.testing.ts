import type { ExecutionEvent } from '@noetl/engine';
import type { Json, JsonMap } from '@noetl/playbook';

/**
 * The event reduced to the fields that are expected, so that a difference shows both sides alike. `step`, `arcs` and other
 * fields of the payload may be named directly; `iteration` is the index or the path of indexes; a map is compared by the
 * keys that are expected, a list in full.
 */
export function asExpected(event: ExecutionEvent, expected: JsonMap): JsonMap {
  const flat = flattened(event);
  return Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, reduced(flat[key], value)]));
}

export const matches = (event: ExecutionEvent, expected: JsonMap): boolean =>
  JSON.stringify(asExpected(event, expected)) === JSON.stringify(expected);

/** An event in short, for the list of what really happened. */
export function inShort(event: ExecutionEvent): string {
  const { name, status, iteration, task_label, visit, attempt } = flattened(event);
  const step = 'step' in event.payload ? { step: event.payload.step } : {};
  return JSON.stringify({ name, ...step, iteration, task_label, visit, attempt, status });
}

function flattened(event: ExecutionEvent): Record<string, Json | undefined> {
  const path = event.iteration_id
    ?.slice(event.iteration_id.lastIndexOf(':') + 1)
    .split('.')
    .map(Number);
  const iteration = path === undefined ? undefined : path.length === 1 ? path[0] : path;
  const { payload, ...envelope } = event;
  return {
    ...(payload as unknown as JsonMap),
    ...(envelope as unknown as JsonMap),
    iteration,
    payload: payload as unknown as Json,
  };
}

function reduced(value: Json | undefined, expected: Json): Json {
  if (value === undefined) return '(absent)';
  if (Array.isArray(value) && Array.isArray(expected)) {
    return value.map((item, index) => (index < expected.length ? reduced(item, expected[index] ?? null) : item));
  }
  if (!isMap(value) || !isMap(expected)) return value;
  return Object.fromEntries(Object.entries(expected).map(([key, inner]) => [key, reduced(value[key], inner)]));
}

const isMap = (value: Json): value is JsonMap => typeof value === 'object' && value !== null && !Array.isArray(value);
