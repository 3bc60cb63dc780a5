import { failure, type OutcomeError } from '@noetl/engine';
import type { Json } from '@noetl/playbook';

/**
 * TPL-8: what a tool gave, as JSON keeps it. An integer too large for a number is its decimal text; NaN and Infinity are
 * errors.
 */
export function jsonResult(result: unknown): { readonly value: Json } | { readonly error: OutcomeError } {
  if (isJson(result)) return { value: result };
  const unfit: number[] = [];
  const value = asJson(result, unfit);
  if (unfit[0] === undefined) return { value };
  return { error: failure('result.json', `the result holds ${unfit[0]}, which has no form in JSON.`) };
}

/** Almost always: then nothing is copied. */
function isJson(value: unknown): value is Json {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isJson);
  return typeof value === 'number' ? Number.isFinite(value) : typeof value !== 'bigint' && value !== undefined;
}

function asJson(value: unknown, unfit: number[]): Json {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) unfit.push(value);
  if (typeof value !== 'object' || value === null) return (value ?? null) as Json;
  if (Array.isArray(value)) return value.map((item) => asJson(item, unfit));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asJson(item, unfit)]));
}
