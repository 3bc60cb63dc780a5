import { Fault, TemplateError } from '../template-error.ts';
import {
  DOUBLE_QUOTE,
  isAsciiBlank,
  isDigit,
  isNameStart,
  MAX_ASCII,
  operatorLength,
  SINGLE_QUOTE,
} from './characters.ts';
import { unescapeLiteral } from './string-literal.ts';
import type { Token, TokenKind } from './token.ts';

export interface WhitespaceOptions {
  /** Drop the first newline after a block tag. */
  readonly trimBlocks: boolean;
  /** Drop spaces and tabs between the start of a line and a block tag. */
  readonly lstripBlocks: boolean;
  /** Keep the single newline at the very end that is dropped otherwise. */
  readonly keepTrailingNewline: boolean;
}

const TAG_START = /\{[{%#]/g;
const RAW_BEGIN = /\{%[-+]?\s*raw\s*(-%\}\s*|%\})/y;
const RAW_END = /\{%([-+]?)\s*endraw\s*(?:\+%\}|-%\}\s*|%\}(\r\n|\r|\n)?)/g;
const COMMENT_END = /\+#\}|-#\}\s*|#\}(\r\n|\r|\n)?/g;
const BLOCK_END = /\+%\}|-%\}\s*|%\}(\r\n|\r|\n)?/y;
const OUTPUT_END = /-\}\}\s*|\}\}/y;
const NEWLINES = /\r\n|\r/g;

const BLANK = /\s+/y;
const FLOAT = /(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy;
const INTEGER = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy;
const ASCII_NAME = /[A-Za-z_]\w*/y;
const NAME = /[\p{ID_Start}_][\p{ID_Continue}]*/uy;
const STRING = /'[^'\\]*(?:\\[\s\S][^'\\]*)*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
/** With what the end of a tag may start. */
const TAG_END_START = '-+%}';
/** Operators of other languages, and what to write here. */
const FOREIGN: Readonly<Record<string, string>> = {
  '&': "Write 'and'.",
  '!': "Write 'not'.",
  '?': "Write 'a if condition else b'.",
  $: "Names stand alone, without '$'.",
};
const CLOSER: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Cuts a template into tokens. Linear in the length of the source. */
export function tokenize(source: string, options: WhitespaceOptions): readonly Token[] {
  return new Lexer(source, options).run();
}

class Lexer {
  private readonly tokens: Token[] = [];
  private readonly source: string;
  private readonly options: WhitespaceOptions;
  private readonly length: number;
  private at = 0;

  constructor(source: string, options: WhitespaceOptions) {
    this.source = source;
    this.options = options;
    const newline = options.keepTrailingNewline ? null : /(?:\r\n|\r|\n)$/.exec(source);
    this.length = source.length - (newline?.[0].length ?? 0);
  }

  run(): readonly Token[] {
    while (this.at < this.length) {
      TAG_START.lastIndex = this.at;
      const tag = TAG_START.exec(this.source);
      if (tag === null || tag.index >= this.length) {
        this.pushText(this.at, this.length);
        break;
      }
      this.lexTag(tag.index, tag[0]);
    }
    this.push('end', '', this.length, this.length);
    return this.tokens;
  }

  private lexTag(start: number, opener: string): void {
    const sign = this.source[start + 2];
    const strip = opener !== '{{' && this.options.lstripBlocks && sign !== '-' && sign !== '+';
    this.pushText(this.at, start, sign === '-' ? 'all' : strip ? 'line' : 'none');
    if (opener === '{#') return this.skipComment(start);
    if (opener === '{%') {
      RAW_BEGIN.lastIndex = start;
      if (RAW_BEGIN.test(this.source)) return this.lexRaw(start, RAW_BEGIN.lastIndex);
    }
    const signed = sign === '-' || sign === '+';
    this.at = start + (signed ? 3 : 2);
    const block = opener === '{%';
    this.push(block ? 'block-begin' : 'output-begin', opener, start, this.at);
    this.lexInside(start, block);
  }

  private skipComment(start: number): void {
    COMMENT_END.lastIndex = start + 2;
    const end = COMMENT_END.exec(this.source);
    if (end === null) throw this.error("this comment is never closed: expected '#}'.", start);
    this.at = this.afterBlock(end, end[1]);
  }

  private lexRaw(start: number, bodyStart: number): void {
    RAW_END.lastIndex = bodyStart;
    const end = RAW_END.exec(this.source);
    if (end === null) throw this.error("this raw block is never closed: expected '{% endraw %}'.", start);
    const strip = end[1] === '-' ? 'all' : this.options.lstripBlocks && end[1] !== '+' ? 'line' : 'none';
    this.pushText(bodyStart, end.index, strip);
    this.at = this.afterBlock(end, end[2]);
  }

  /** Where text goes on after a block end or comment end: past its newline only with `trimBlocks`. */
  private afterBlock(end: RegExpExecArray, newline: string | undefined): number {
    const after = end.index + end[0].length;
    return this.options.trimBlocks || newline === undefined ? after : after - newline.length;
  }

  private lexInside(start: number, block: boolean): void {
    const open: Token[] = [];
    for (;;) {
      this.skipBlank();
      if (this.at >= this.source.length) {
        throw this.error(`this tag is never closed: expected '${block ? '%}' : '}}'}'.`, start);
      }
      if (open.length === 0 && TAG_END_START.includes(this.source[this.at] ?? '')) {
        const endPattern = block ? BLOCK_END : OUTPUT_END;
        endPattern.lastIndex = this.at;
        const end = endPattern.exec(this.source);
        if (end !== null) {
          this.push(block ? 'block-end' : 'output-end', end[0], this.at, this.at + end[0].length);
          this.at = block ? this.afterBlock(end, end[1]) : this.at + end[0].length;
          return;
        }
      }
      this.lexOne(open);
    }
  }

  private skipBlank(): void {
    while (isAsciiBlank(this.source.charCodeAt(this.at))) this.at++;
    if (this.source.charCodeAt(this.at) > MAX_ASCII) this.match(BLANK);
  }

  /** One token. Its first character tells its kind: trying one pattern after the other would take twice as long. */
  private lexOne(open: Token[]): void {
    const from = this.at;
    const first = this.source.charCodeAt(from);
    if (isDigit(first)) return this.lexNumber(from);
    if (isNameStart(first) || first > MAX_ASCII) {
      const name = this.matchName();
      if (name !== null) return this.push('name', name, from, this.at);
    }
    if (first === SINGLE_QUOTE || first === DOUBLE_QUOTE) return this.lexString(from);
    const length = operatorLength(first, this.source.charCodeAt(from + 1));
    if (length > 0) {
      this.at += length;
      const operator = this.source.slice(from, this.at);
      this.push('operator', operator, from, this.at);
      return this.balance(operator, open, from);
    }
    const found = String.fromCodePoint(this.source.codePointAt(from) ?? 0);
    throw this.error(`unexpected character '${found}'.`, from, FOREIGN[found]);
  }

  private lexNumber(from: number): void {
    // `a.0.1` is two item accesses, not an access by a float.
    const number = this.source[from - 1] === '.' ? null : this.match(FLOAT);
    if (number !== null) return this.push('float', number.replaceAll('_', ''), from, this.at);
    const integer = this.match(INTEGER) ?? '';
    this.push('integer', integer.replaceAll('_', ''), from, this.at);
  }

  private matchName(): string | null {
    ASCII_NAME.lastIndex = this.at;
    const end = ASCII_NAME.test(this.source) ? ASCII_NAME.lastIndex : this.at;
    if (this.source.charCodeAt(end) > MAX_ASCII) return this.match(NAME);
    const name = this.source.slice(this.at, end);
    this.at = end;
    return name;
  }

  private lexString(from: number): void {
    const string = this.match(STRING);
    if (string === null) throw this.error(`this text is never closed: expected ${this.source[from]}.`, from);
    const text = unescapeLiteral(string.slice(1, -1).replace(NEWLINES, '\n'));
    if (text === undefined)
      throw this.error('this text contains a malformed escape.', from, 'Write a backslash as \\\\.');
    this.push('string', text, from, this.at);
  }

  private balance(operator: string, open: Token[], at: number): void {
    if (operator === '(' || operator === '[' || operator === '{') {
      const token = this.tokens.at(-1);
      if (token !== undefined) open.push(token);
    } else if (operator === ')' || operator === ']' || operator === '}') {
      const opener = open.pop();
      if (opener === undefined) throw this.error(`unexpected '${operator}': nothing is open here.`, at);
      const expected = CLOSER[opener.text];
      if (expected !== operator) throw this.error(`unexpected '${operator}', expected '${expected}'.`, at);
    }
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.source);
    if (found === null) return null;
    this.at += found[0].length;
    return found[0];
  }

  private pushText(from: number, to: number, strip: 'all' | 'line' | 'none' = 'none'): void {
    let end = to;
    if (strip === 'all') {
      end = from + this.source.slice(from, to).trimEnd().length;
    } else if (strip === 'line') {
      while (end > from && (this.source[end - 1] === ' ' || this.source[end - 1] === '\t')) end--;
      const before = this.source[end - 1];
      if (end !== 0 && before !== '\n' && before !== '\r') end = to;
    }
    if (end > from) this.push('text', this.source.slice(from, end).replace(NEWLINES, '\n'), from, end);
  }

  private push(kind: TokenKind, text: string, at: number, end: number): void {
    this.tokens.push({ kind, text, at, end });
  }

  private error(message: string, at: number, hint?: string): TemplateError {
    return new TemplateError(new Fault('NOETL_TEMPLATE_SYNTAX', message, hint), this.source, at);
  }
}
