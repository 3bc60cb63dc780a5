import type { Use } from './use.ts';

export type Key = string | number;

/** What is known of a result that older templates read. */
export interface ResultShape {
  /** The kind of work that gave it; undefined where that is not known. */
  readonly kind: string | undefined;
  /** Whether it is that of a loop. */
  readonly looped: boolean;
  /** Whether other templates read it as a list. */
  readonly listed: boolean;
  /** Whether other templates read fields of an answer's body as if they were its own. */
  readonly unwrapped: boolean;
  /** The code that makes it, where it is in the playbook. */
  readonly code: string | undefined;
}

/** What is read of a result now, or why nothing stands for it. */
export type CurrentPath =
  | { readonly path: readonly Key[]; readonly review?: string | undefined }
  | { readonly problem: string; readonly hint: string; readonly absent?: 'stays' | 'none' | undefined };

const SQL: ReadonlySet<string> = new Set(['postgres', 'duckdb', 'snowflake']);
export const isSql = (kind: string | undefined): boolean => kind !== undefined && SQL.has(kind);
const PROCESSES: ReadonlySet<string> = new Set(['shell', 'script', 'container']);

/** Older results stood in envelopes, whose fields and depth changed over time; now they are what TOOL-2 says. */
export function currentPath(shape: ResultShape, path: readonly Key[], use: Use): CurrentPath {
  if (shape.looped) return ofLoop(shape, path, use);
  const { kind } = shape;
  if (kind === 'http') return ofHttp(shape, path, use);
  if (isSql(kind)) return ofStatements(shape, path, use);
  if (kind !== undefined && PROCESSES.has(kind)) return ofProcess(path);
  return ofCode(shape, path);
}

const HTTP_FIELDS: Readonly<Record<string, readonly Key[]>> = {
  status: ['status'],
  status_code: ['status'],
  headers: ['headers'],
  data: ['data'],
  body: ['data'],
  json: ['data'],
  content: ['data'],
  text: ['data'],
};
const NOT_KEPT: ReadonlySet<Key> = new Set(['elapsed', 'url']);

function ofHttp(shape: ResultShape, path: readonly Key[], use: Use): CurrentPath {
  const [head, ...rest] = path;
  if (head === undefined) return { path: use === 'list' ? ['data'] : [] };
  if (head === 'result' || head === 'response') return ofHttp(shape, rest, use);
  if (head === 'data' && rest[0] === 'status_code') return { path: ['status', ...rest.slice(1)] };
  if (NOT_KEPT.has(head)) {
    return {
      problem: `'${head}' is no part of what a request gives now`,
      hint: 'A request gives status, headers and data; how long it took is outcome.meta.duration_ms in its policy.',
      absent: 'none',
    };
  }
  const field = typeof head === 'string' && Object.hasOwn(HTTP_FIELDS, head) ? HTTP_FIELDS[head] : undefined;
  if (head === 'status' && shape.unwrapped) return { path: ['data', ...path], review: BODY_STATUS };
  return { path: field === undefined ? ['data', ...path] : [...field, ...rest] };
}

const BODY_STATUS = "other fields of the body are read the same way, so that 'status' is taken for one of the body's";

/** Fields of the answer itself; what is read beside them was read of its body. */
export const isHttpField = (key: Key | undefined): boolean =>
  key === undefined ||
  NOT_KEPT.has(key) ||
  key === 'result' ||
  key === 'response' ||
  (typeof key === 'string' && Object.hasOwn(HTTP_FIELDS, key));

const STATEMENT_FIELD = /^(?:rows|row_count|columns|command_\d+)$/;

function ofStatements(shape: ResultShape, path: readonly Key[], use: Use): CurrentPath {
  const [head, ...rest] = path;
  if (head === undefined) return { path: use !== 'presence' && (use !== 'value' || shape.listed) ? ['rows'] : [] };
  if (typeof head === 'number') return { path: ['rows', ...path] };
  if (head === 'data' || head === 'result') {
    return rest.length === 0 ? { path: ['rows'] } : ofStatements(shape, rest, use);
  }
  const statement = /^statement_(\d+)$/.exec(head);
  if (statement !== null) return ofStatements(shape, [`command_${statement[1]}`, ...rest], use);
  if (head === 'rowcount') return { path: ['row_count', ...rest] };
  if (!STATEMENT_FIELD.test(head)) return { path };
  // `command_0[0]` was the first row.
  return head.startsWith('command_') && typeof rest[0] === 'number' ? { path: [head, 'rows', ...rest] } : { path };
}

function ofProcess(path: readonly Key[]): CurrentPath {
  const [head, ...rest] = path;
  if (head === 'returncode' || head === 'return_code') return { path: ['exit_code', ...rest] };
  if (head === 'data' || head === 'result') return { path: rest };
  return { path: head === 'output' ? ['stdout', ...rest] : path };
}

const ENVELOPE: ReadonlySet<Key> = new Set(['data', 'result']);

/** The result of code, of a child or of a noop is what they give; it once stood in `data` of an envelope. */
function ofCode({ code, kind }: ResultShape, path: readonly Key[]): CurrentPath {
  const [head, ...rest] = path;
  if (head === undefined || !ENVELOPE.has(head) || kind === undefined) return { path };
  if (code !== undefined && new RegExp(`['"]${head}['"]`).test(code)) return { path };
  const review =
    code === undefined ? `'${head}' is taken for the envelope that results had, not for a field` : undefined;
  return { path: rest, review };
}

const LOOP_ENVELOPE: ReadonlySet<Key> = new Set(['results', 'data', 'result', 'items']);

function ofLoop(shape: ResultShape, path: readonly Key[], use: Use): CurrentPath {
  const [head, ...rest] = path;
  if (head === undefined) return { path };
  if (LOOP_ENVELOPE.has(head)) return ofLoop(shape, rest, use);
  if (typeof head !== 'number') {
    return {
      problem: `'${head}' is no part of what a loop gives now`,
      hint: 'A loop gives the list of the results of its iterations; how many there are is its length.',
    };
  }
  const one = currentPath({ ...shape, looped: false, listed: false }, rest, use);
  return 'problem' in one ? one : { ...one, path: [head, ...one.path] };
}
