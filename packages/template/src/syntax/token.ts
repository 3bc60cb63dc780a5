/** What the lexer yields. Comments and raw markers are gone; whitespace control has been applied to text. */
export type TokenKind =
  | 'text'
  | 'output-begin'
  | 'output-end'
  | 'block-begin'
  | 'block-end'
  | 'name'
  | 'string'
  | 'integer'
  | 'float'
  | 'operator'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** Names and operators as written, strings unescaped, numbers without underscores, text as it will be printed. */
  readonly text: string;
  readonly at: number;
  readonly end: number;
}

export function describeToken(token: Token): string {
  switch (token.kind) {
    case 'text':
      return 'text outside of a tag';
    case 'output-begin':
      return "'{{'";
    case 'output-end':
      return "'}}', the end of the expression";
    case 'block-begin':
      return "'{%'";
    case 'block-end':
      return "'%}', the end of the statement";
    case 'string':
      return `the text '${token.text.length > 20 ? `${token.text.slice(0, 20)}…` : token.text}'`;
    case 'end':
      return 'the end of the template';
    default:
      return `'${token.text}'`;
  }
}
