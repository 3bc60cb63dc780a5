import type { ScalarText } from './scalar-text.ts';
import { YamlError } from './yaml-error.ts';

/** What follows the backslash, and what both mean. */
const SIMPLE: ReadonlyMap<number, number> = new Map(
  Object.entries({
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
  }).map(([letter, meaning]) => [letter.charCodeAt(0), meaning.charCodeAt(0)]),
);
const HEX_LENGTH: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const HEX = /^[\da-fA-F]+$/;

/** Appends what the escape means that starts at the backslash at `at`, and gives where it ends. */
export function addEscape(text: ScalarText, source: string, at: number): number {
  const simple = SIMPLE.get(source.charCodeAt(at + 1));
  if (simple !== undefined) {
    text.addUnit(simple, at);
    return at + 2;
  }
  const letter = source[at + 1] ?? '';
  const length = HEX_LENGTH[letter];
  const digits = length === undefined ? '' : source.slice(at + 2, at + 2 + length);
  const code = Number.parseInt(digits, 16);
  if (length !== undefined && digits.length === length && HEX.test(digits) && code <= 0x10ffff) {
    text.addEscaped(String.fromCodePoint(code), at);
    return at + 2 + length;
  }
  throw new YamlError(
    'NOETL_YAML_SYNTAX',
    { start: at, end: at + 2 },
    `'\\${letter}' is no escape of double-quoted text`,
    'Write a backslash as \\\\, or use single quotes.',
  );
}
