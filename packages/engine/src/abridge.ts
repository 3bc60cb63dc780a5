import type { Json } from '@noetl/playbook';
import { jsonSize } from './json-size.ts';

/** How much of a value is recorded: enough to understand, not to repeat the data. */
const MAX_TEXT = 120;
const MAX_ITEMS = 8;

export function abridged(value: Json, depth = 0): Json {
  if (typeof value === 'string') return shortened(value, MAX_TEXT);
  if (typeof value !== 'object' || value === null) return value;
  const size = Array.isArray(value) ? value.length : Object.keys(value).length;
  if (size > MAX_ITEMS || depth > 1) return Array.isArray(value) ? `a list of ${size}` : `a mapping of ${size}`;
  if (Array.isArray(value)) return value.map((item) => abridged(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [shortened(key, MAX_TEXT), abridged(item, depth + 1)]),
  );
}

/** A value as messages quote it. */
export const quoted = (value: Json | undefined): string => shortened(JSON.stringify(abridged(value ?? null)), MAX_TEXT);

/** Text whose JSON takes no more than so many bytes. */
export function fitting(text: string, bytes: number): string {
  let end = text.length;
  while (jsonSize(text.slice(0, end)) > bytes) end = Math.floor(Math.min(end, bytes) * 0.9);
  return shortened(text, end);
}

/** RES-1: names and reasons that come from outside, as events carry them. */
export const shortName = (text: string): string => shortened(text, 1_000);

/** A mark says that there was more. */
export const shortened = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length)}…`;
