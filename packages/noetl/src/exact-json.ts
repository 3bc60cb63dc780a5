import type { Json } from '@noetl/playbook';

// A string, or a number; what matters is that a digit inside a string is never taken for a number.
const STRING_OR_NUMBER = /"(?:[^"\\]+|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG_INTEGER = /^-?\d{16,}$/;

/** `JSON.parse`, but an integer that a number cannot hold is kept exactly, as its decimal string (TPL-8). */
export function parseExactJson(source: string): Json {
  const rounded = JSON.parse(source) as Json;
  if (!/\d{16}/.test(source)) return rounded;
  return JSON.parse(source.replace(STRING_OR_NUMBER, (token) => (isUnsafeInteger(token) ? `"${token}"` : token)));
}

/** Whether JSON can write it back: no number is too large (TPL-8). */
export function holdsOnlyFinite(value: Json): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(holdsOnlyFinite);
}

const isUnsafeInteger = (token: string): boolean => LONG_INTEGER.test(token) && !Number.isSafeInteger(Number(token));
