import type { Segment, Span } from './node.ts';
import { YamlError } from './yaml-error.ts';

/** Builds the text of a scalar together with where its characters stand. */
export class ScalarText {
  private readonly parts: string[] = [];
  private readonly segments: Segment[] = [];
  private length = 0;
  private nextSource = -1;

  /** Appends `text`, which stands at `source` in the file. */
  add(text: string, source: number): void {
    if (source !== this.nextSource) this.segments.push({ value: this.length, source });
    this.append(text);
    this.nextSource = source + text.length;
  }

  /** Appends text that is written differently in the file, such as an escape. */
  addEscaped(text: string, source: number): void {
    this.segments.push({ value: this.length, source });
    this.append(text);
    this.nextSource = -1;
  }

  private append(text: string): void {
    this.parts.push(text);
    this.length += text.length;
  }

  finish(): { readonly text: string; readonly segments: readonly Segment[] } {
    return { text: this.parts.length === 1 ? (this.parts[0] ?? '') : this.parts.join(''), segments: this.segments };
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};
const HEX_LENGTH: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** The escape that starts at the backslash at `at`: its text and where it ends. */
export function readEscape(source: string, at: number): { readonly text: string; readonly end: number } {
  const letter = source[at + 1] ?? '';
  const simple = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
  if (simple !== undefined) return { text: simple, end: at + 2 };
  const length = HEX_LENGTH[letter];
  const digits = length === undefined ? '' : source.slice(at + 2, at + 2 + length);
  const code = Number.parseInt(digits, 16);
  if (length !== undefined && digits.length === length && /^[\da-fA-F]+$/.test(digits) && code <= 0x10ffff) {
    return { text: String.fromCodePoint(code), end: at + 2 + length };
  }
  const span: Span = { start: at, end: at + 2 };
  throw new YamlError(
    'NOETL_YAML_SYNTAX',
    span,
    `'\\${letter}' is no escape of double-quoted text`,
    'Write a backslash as \\\\, or use single quotes.',
  );
}
