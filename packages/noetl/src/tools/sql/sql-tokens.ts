import { SqlProblem } from './sql-problem.ts';
import { SLOT } from './sql-text.ts';

type TokenKind =
  | 'space'
  | 'comment'
  | 'word'
  /** A name in double quotes. */
  | 'name'
  /** A text: '…', E'…', $$…$$ and the like. */
  | 'string'
  | 'number'
  /** A placeholder that the author wrote: $1, $name, :name, ?. */
  | 'placeholder'
  | 'slot'
  | 'symbol';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Where it begins in the text. */
  readonly at: number;
}

/** PostgreSQL and DuckDB share the lexer that these follow: every character above ASCII may stand in a word. */
const WORD = /(?:[A-Za-z_]|[^\p{ASCII}\u{F0000}])(?:[A-Za-z0-9_$]|[^\p{ASCII}\u{F0000}])*/uy;
const RULES: readonly (readonly [TokenKind, RegExp])[] = [
  ['space', /[ \t\n\r\f\v]+/y],
  ['comment', /--[^\n\r]*/y],
  ['slot', new RegExp(SLOT, 'uy')],
  ['string', /[eE]'[^'\\]*(?:(?:\\[\s\S]|'')[^'\\]*)*(?:'|$)/y],
  ['string', /(?:[uU]&|[bBxXnN])?'[^']*(?:''[^']*)*(?:'|$)/y],
  ['name', /(?:[uU]&)?"[^"]*(?:""[^"]*)*(?:"|$)/y],
  ['word', WORD],
  ['number', /(?:\d\w*(?:\.\w*)?|\.\d\w*)(?:(?<=[eE])[+-]\d+)?/y],
  ['placeholder', /\$\d+/y],
  ['placeholder', /\$[A-Za-z_]\w*(?![\w$])/y],
  ['symbol', /::|:=/y],
  ['placeholder', /:[A-Za-z_]\w*/y],
  ['placeholder', /\?/y],
];
const DOLLAR = /\$(?:(?:[A-Za-z_]|[^\p{ASCII}\u{F0000}])(?:[A-Za-z0-9_]|[^\p{ASCII}\u{F0000}])*)?\$/uy;

/** The text as tokens that cover all of it, by the rules that PostgreSQL and DuckDB have in common. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const token = tokenAt(text, at);
    tokens.push(token);
    at += token.text.length;
  }
  return tokens;
}

function tokenAt(text: string, at: number): Token {
  if (text.startsWith('/*', at)) return { kind: 'comment', text: blockComment(text, at), at };
  const dollar = matchAt(DOLLAR, text, at);
  if (dollar !== undefined) return { kind: 'string', text: dollarQuoted(text, at, dollar), at };
  for (const [kind, rule] of RULES) {
    const found = matchAt(rule, text, at);
    if (found === undefined) continue;
    if ((kind === 'string' || kind === 'name') && !isClosed(found, kind)) throw unclosed(text, at, kind);
    return { kind, text: found, at };
  }
  return { kind: 'symbol', text: String.fromCodePoint(text.codePointAt(at) ?? 0), at };
}

function matchAt(rule: RegExp, text: string, at: number): string | undefined {
  rule.lastIndex = at;
  return rule.exec(text)?.[0];
}

function isClosed(found: string, kind: 'string' | 'name'): boolean {
  const quote = kind === 'string' ? "'" : '"';
  const body = found.slice(found.indexOf(quote) + 1);
  if (!body.endsWith(quote)) return false;
  // An even number of quotes at the end of an unclosed text are pairs; E'…\' has its quote escaped.
  const rest = /^[eE]'/.test(found) ? body.replaceAll(/\\[\s\S]/g, '') : body;
  return (rest.match(new RegExp(`${quote}+$`))?.[0].length ?? 0) % 2 === 1;
}

function blockComment(text: string, at: number): string {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (text.startsWith('/*', i)) {
      depth++;
      i++;
    } else if (text.startsWith('*/', i)) {
      depth--;
      i++;
      if (depth === 0) return text.slice(at, i + 1);
    }
  }
  throw unclosed(text, at, 'comment');
}

function dollarQuoted(text: string, at: number, tag: string): string {
  const end = text.indexOf(tag, at + tag.length);
  if (end === -1) throw unclosed(text, at, 'string');
  return text.slice(at, end + tag.length);
}

const WHAT: Readonly<Record<'string' | 'name' | 'comment', string>> = {
  string: 'a text',
  name: 'a name in double quotes',
  comment: 'a comment',
};

function unclosed(text: string, at: number, kind: 'string' | 'name' | 'comment'): SqlProblem {
  const line = text.slice(0, at).split('\n').length;
  return new SqlProblem(`${WHAT[kind]} that begins in line ${line} is never closed.`);
}

/** Whether a token means something to the database. */
export const isSignificant = ({ kind }: Token): boolean => kind !== 'space' && kind !== 'comment';

export const isWord = (token: Token | undefined, ...words: readonly string[]): boolean =>
  token?.kind === 'word' && words.includes(token.text.toUpperCase());

export const isSymbol = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'symbol' && token.text === text;
