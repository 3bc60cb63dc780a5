import type { Span } from './node.ts';

export const YAML_ERROR_CODES = [
  'NOETL_YAML_SYNTAX',
  'NOETL_YAML_LIMIT',
  'NOETL_YAML_ENCODING',
  'NOETL_YAML_DUPLICATE_KEY',
  'NOETL_YAML_UNSUPPORTED',
  'NOETL_YAML_UNQUOTED_TEMPLATE',
  'NOETL_YAML_NUMBER',
] as const;

export type YamlErrorCode = (typeof YAML_ERROR_CODES)[number];

/** Why a text is not a YAML document we accept. Thrown inside the reader, a value outside of it. */
export class YamlError extends Error {
  readonly code: YamlErrorCode;
  readonly span: Span;
  readonly hint: string;

  constructor(code: YamlErrorCode, span: Span, message: string, hint: string) {
    super(message);
    this.name = 'YamlError';
    this.code = code;
    this.span = span;
    this.hint = hint;
  }
}
