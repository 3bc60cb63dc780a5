import { isTooDeep, tooDeepMessage } from '@noetl/engine';
import { ZodObject, type ZodType } from 'zod';
import { holdsOnlyFinite, parseExactJson } from '../../exact-json.ts';
import { Problem } from './problem.ts';

/** A part of a request as its route wants it; a problem that names every field that is not. */
export function checkedPart(where: 'path' | 'query' | 'body', schema: ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return undefined;
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const errors = read.error.issues.map((issue) => ({
    field: [where, ...issue.path.map(String)].join('.'),
    message: issue.code === 'unrecognized_keys' ? unknownKeys(issue.keys, schema, issue.path) : issue.message,
  }));
  const [first] = errors;
  throw new Problem('NOETL_API_REQUEST', `${first?.field ?? where}: ${first?.message ?? 'not valid'}.`, { errors });
}

/** What is not known, and what is. */
function unknownKeys(keys: readonly string[], schema: ZodType, path: readonly PropertyKey[]): string {
  const found = keys.map((key) => `'${key.slice(0, LONGEST_SHOWN)}'`).join(', ');
  const known = path.length === 0 && schema instanceof ZodObject ? Object.keys(schema.shape) : [];
  const expected = known.length === 0 ? '' : `, expected one of ${known.join(', ')}`;
  return `${found} ${keys.length === 1 ? 'is' : 'are'} not known${expected}`;
}

const LONGEST_SHOWN = 100;

/** A filter that is misspelt would let everything through: what is not known is told. */
export const strictly = (query: ZodType | undefined): ZodType | undefined =>
  query instanceof ZodObject ? query.strict() : query;

/** The JSON of a body: integers are kept exactly (TPL-8), and nothing is nested deeper than the engine can follow. */
export function jsonBody(text: string): unknown {
  if (text.trim() === '') return undefined;
  let body: ReturnType<typeof parseExactJson>;
  try {
    body = parseExactJson(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Problem('NOETL_API_REQUEST', `body: is no JSON: ${why}`);
  }
  if (isTooDeep(body)) throw new Problem('NOETL_DATA_TOO_DEEP', tooDeepMessage('the body'));
  if (!holdsOnlyFinite(body)) {
    const advice = 'Pass it as text: "1e400".';
    throw new Problem('NOETL_API_REQUEST', `body: holds a number that is too large for JSON, such as 1e400. ${advice}`);
  }
  return body;
}
