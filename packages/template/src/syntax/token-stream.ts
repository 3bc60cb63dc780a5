import { Fault, TemplateError, type TemplateErrorCode } from '../template-error.ts';
import { describeToken, type Token, type TokenKind } from './token.ts';

const END: Token = { kind: 'end', text: '', at: 0, end: 0 };

/** Which filters and tests there are. */
export interface KnownNames {
  hasFilter(name: string): boolean;
  hasTest(name: string): boolean;
}

/** Reads tokens one after the other, and knows how to complain about them. */
export class TokenStream {
  private readonly source: string;
  private readonly tokens: readonly Token[];
  private readonly maxNesting: number;
  private index = 0;
  private nesting = 0;
  private readonly known: KnownNames;
  /** Whether every filter and test that was parsed so far exists. */
  allKnown = true;
  current: Token;

  constructor(source: string, tokens: readonly Token[], maxNesting: number, known: KnownNames) {
    this.source = source;
    this.tokens = tokens;
    this.maxNesting = maxNesting;
    this.known = known;
    this.current = tokens[0] ?? END;
  }

  /** The end of the token before the current one: where the node just parsed ends. */
  get lastEnd(): number {
    return this.tokens[this.index - 1]?.end ?? 0;
  }

  peek(): Token {
    return this.tokens[this.index + 1] ?? this.current;
  }

  next(): Token {
    const token = this.current;
    if (this.index < this.tokens.length - 1) this.index++;
    this.current = this.tokens[this.index] ?? token;
    return token;
  }

  is(kind: TokenKind, text?: string): boolean {
    return this.current.kind === kind && (text === undefined || this.current.text === text);
  }

  isOperator(text: string): boolean {
    return this.current.kind === 'operator' && this.current.text === text;
  }

  isName(text: string): boolean {
    return this.current.kind === 'name' && this.current.text === text;
  }

  skip(kind: TokenKind, text?: string): boolean {
    if (!this.is(kind, text)) return false;
    this.next();
    return true;
  }

  expect(kind: TokenKind, text: string | undefined, expected: string): Token {
    if (this.is(kind, text)) return this.next();
    throw this.error(`expected ${expected}, found ${describeToken(this.current)}.`);
  }

  expectOperator(text: string): Token {
    return this.expect('operator', text, `'${text}'`);
  }

  noteFilter(name: string): void {
    this.allKnown &&= this.known.hasFilter(name);
  }

  noteTest(name: string): void {
    this.allKnown &&= this.known.hasTest(name);
  }

  /** Runs `parse` one level deeper, so that hostile nesting ends in an error and not in a stack overflow. */
  nested<T>(parse: () => T): T {
    this.nesting++;
    this.checkLength(this.nesting);
    const result = parse();
    this.nesting--;
    return result;
  }

  /** Long chains (`a.b.c…`, `1 + 1 + …`) are as deep as nesting once they are evaluated. */
  checkLength(links: number): void {
    if (links <= this.maxNesting) return;
    throw this.error(`this template is nested more than ${this.maxNesting} levels deep.`, {
      code: 'NOETL_TEMPLATE_LIMIT',
    });
  }

  error(
    message: string,
    more: { at?: number; hint?: string | undefined; code?: TemplateErrorCode } = {},
  ): TemplateError {
    const fault = new Fault(more.code ?? 'NOETL_TEMPLATE_SYNTAX', message, more.hint);
    return new TemplateError(fault, this.source, more.at ?? this.current.at);
  }
}
