/** Stable codes of everything a template can cause. One page each in docs/errors. */
export const TEMPLATE_ERROR_CODES = [
  'NOETL_TEMPLATE_SYNTAX',
  'NOETL_TEMPLATE_UNAVAILABLE',
  'NOETL_TEMPLATE_NAME',
  'NOETL_TEMPLATE_UNDEFINED',
  'NOETL_TEMPLATE_TYPE',
  'NOETL_TEMPLATE_VALUE',
  'NOETL_TEMPLATE_LIMIT',
] as const;

export type TemplateErrorCode = (typeof TEMPLATE_ERROR_CODES)[number];

/** What went wrong, before it is known where: operations on values throw it, the template adds the place. */
export class Fault extends Error {
  readonly code: TemplateErrorCode;
  readonly hint: string | undefined;

  constructor(code: TemplateErrorCode, message: string, hint?: string) {
    super(message);
    this.name = 'Fault';
    this.code = code;
    this.hint = hint;
  }
}

export const typeFault = (message: string, hint?: string): Fault => new Fault('NOETL_TEMPLATE_TYPE', message, hint);
export const valueFault = (message: string, hint?: string): Fault => new Fault('NOETL_TEMPLATE_VALUE', message, hint);
export const limitFault = (message: string, hint?: string): Fault => new Fault('NOETL_TEMPLATE_LIMIT', message, hint);

/** The one error that leaves this package: what, where (1-based), the source line with a caret, and what to do. */
export class TemplateError extends Error {
  readonly code: TemplateErrorCode;
  /** Position in the source, in UTF-16 units from 0. */
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  /** The source line and, under it, a caret at the column. */
  readonly excerpt: string;
  /** What was wrong, without place and hint. */
  readonly problem: string;
  readonly hint: string | undefined;

  constructor(fault: Fault, source: string, offset: number, cause?: unknown) {
    const place = placeOf(source, offset);
    const hint = fault.hint === undefined ? '' : ` ${fault.hint}`;
    super(
      `${place.line}:${place.column} ${fault.message}${hint}\n${place.excerpt}`,
      cause === undefined ? {} : { cause },
    );
    this.name = 'TemplateError';
    this.code = fault.code;
    this.offset = offset;
    this.line = place.line;
    this.column = place.column;
    this.excerpt = place.excerpt;
    this.problem = fault.message;
    this.hint = fault.hint;
  }
}

interface Place {
  readonly line: number;
  readonly column: number;
  readonly excerpt: string;
}

const EXCERPT_WIDTH = 100;

function placeOf(source: string, offset: number): Place {
  const at = Math.max(0, Math.min(offset, source.length));
  const before = source.slice(0, at);
  // A template may have ten thousand mistakes on one line: only where there are more lines is it worth to look for them.
  const lines = before.includes('\n') || before.includes('\r') ? before.split(/\r\n|\r|\n/) : [before];
  const column = (lines.at(-1) ?? '').length + 1;
  const from = Math.max(0, column - 1 - EXCERPT_WIDTH / 2);
  const margin = column - 1 - from;
  const around = source.slice(at - margin, at - margin + EXCERPT_WIDTH);
  const lineEnd = around.search(/[\r\n]/);
  const shown = lineEnd < 0 ? around : around.slice(0, lineEnd);
  return { line: lines.length, column, excerpt: `${shown}\n${' '.repeat(margin)}^` };
}
