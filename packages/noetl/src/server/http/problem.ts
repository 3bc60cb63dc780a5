import type { StoreError, StoreErrorCode } from '../../ports/store-error.ts';

/** What only requests are refused with, by codes that never change. One page each in docs/errors; a test keeps the two equal. */
export const API_CODES = {
  NOETL_API_REQUEST: [400, 'the request is not what the API expects'],
  NOETL_API_UNAUTHENTICATED: [401, 'a token is needed'],
  NOETL_API_FORBIDDEN: [403, 'the token does not allow this'],
  NOETL_API_ORIGIN: [403, 'the request comes from a page, or under a name, that is not allowed'],
  NOETL_API_NOT_FOUND: [404, 'there is nothing here'],
  NOETL_API_METHOD: [405, 'this is not done here'],
  NOETL_API_PLAYBOOK_UNKNOWN: [404, 'the catalog has no such playbook'],
  NOETL_API_UNFINISHED: [409, 'the execution is not over yet'],
  NOETL_API_KEY_REUSED: [409, 'the idempotency key belongs to another request'],
  NOETL_API_LEASE_GONE: [409, 'the lease is not valid any more'],
  NOETL_API_RESULT_LOST: [410, 'the stored result is lost'],
  NOETL_API_REFUSED: [409, 'this cannot be done now'],
  NOETL_API_TOO_LARGE: [413, 'the request is too large'],
  NOETL_API_PLAYBOOK_INVALID: [422, 'the playbook is not valid'],
  NOETL_API_RATE_LIMIT: [429, 'too many requests'],
  NOETL_API_EXECUTIONS_LIMIT: [429, 'too many executions are running'],
  NOETL_API_INTERNAL: [500, 'the server met what it does not know how to go on from'],
  NOETL_API_NOT_READY: [503, 'the server is not ready'],
} as const;

/** Codes that other parts of the program know, too. */
const SHARED_CODES = {
  NOETL_EXECUTION_UNKNOWN: [404, 'there is no such execution'],
  NOETL_EXECUTION_OVER: [409, 'the execution is over'],
  NOETL_EXECUTION_EXISTS: [409, 'there is such an execution already'],
  NOETL_FORK_REFUSED: [422, 'the fork cannot be made'],
  NOETL_DATA_TOO_DEEP: [422, 'the data is nested too deeply'],
  // Who asks has named it; the server itself is well.
  NOETL_STORE_UNCONFIGURED: [422, 'the store is not set up here'],
} as const;

const CODES = { ...API_CODES, ...SHARED_CODES };
const STORE = [503, 'the store cannot be used'] as const;

export type ApiCode = keyof typeof API_CODES;
export type ProblemCode = keyof typeof CODES | StoreErrorCode;

export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(CODES, code);

/** RFC 9457, with our code. */
interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly [field: string]: unknown;
}

/** A request that is answered with a problem: where, what was found, what was expected, what to do. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    message: string,
    fields: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'Problem';
    this.code = code;
    this.fields = fields;
    this.headers = headers;
  }

  document(): ProblemDocument {
    const { code, fields, message } = this;
    const [status, title] = aboutCode(code);
    return { ...fields, type: `urn:noetl:error:${code}`, title, status, detail: message, code };
  }
}

const aboutCode = (code: ProblemCode): readonly [number, string] =>
  code in CODES ? CODES[code as keyof typeof CODES] : STORE;

/** A store that fails says so by its own code; where its files are is nobody's business. */
export const storeProblem = ({ code, message }: StoreError): Problem =>
  new Problem(
    code,
    code === 'NOETL_STORE_UNCONFIGURED'
      ? message
      : 'the store of the server cannot be used right now. Its output says more.',
  );
