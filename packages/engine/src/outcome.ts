import type { Json, Place } from '@noetl/playbook';
import type { TemplateError } from '@noetl/template';
import { fitting, shortened } from './abridge.ts';

/** TOOL-1: what one attempt of a task came to. */
export interface Outcome {
  readonly status: 'ok' | 'error';
  readonly result: Json;
  readonly error?: OutcomeError;
  readonly meta: OutcomeMeta;
  /** What only some kinds report: `http`, `pg`, `py`. */
  readonly http?: Json;
  readonly pg?: Json;
  readonly py?: Json;
}

export interface OutcomeError {
  /** A stable word such as `timeout` or `http.status`. */
  readonly kind: string;
  readonly retryable: boolean;
  readonly message: string;
  readonly details: Json;
}

export interface OutcomeMeta {
  readonly attempt: number;
  readonly duration_ms: number;
  /** RFC 3339, when it ended. */
  readonly ts: string;
  readonly trace_id?: string;
}

/** RES-1: the bytes that a message may have, and the characters of a kind. */
const MAX_MESSAGE = 8 * 1024;
const MAX_KIND = 200;

/** The error as an event may carry it. */
export const boundedError = (error: OutcomeError): OutcomeError => ({
  ...error,
  kind: shortened(error.kind, MAX_KIND),
  message: fitting(error.message, MAX_MESSAGE),
});

/** A failure that the program itself states. */
export const failure = (kind: string, message: string, details: Json = {}): OutcomeError => ({
  kind,
  retryable: false,
  message: fitting(message, MAX_MESSAGE),
  details,
});

/** TPL-4: a template that could not be evaluated: where in itself, and where in the playbook's file. */
export const templateFailure = ({ code, message, line, column }: TemplateError, place: Place): OutcomeError =>
  failure('template', message, { code, line, column, place: { line: place.line, column: place.column } });
