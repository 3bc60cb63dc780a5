import { normalizeInteger } from '../values/integer.ts';
import { strip } from './python-text.ts';

/** Python reads no longer text as an integer. */
const MAX_DIGITS = 4_300;

/** Digits of other scripts as 0 to 9. Unicode keeps each script's ten together, from zero up. */
function asciiDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    let before = 0;
    while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before++;
    return String(before % 10);
  });
}

/** Python's int(text, base): blanks around, a sign, underscores between digits, 0x/0o/0b where the base allows. */
export function parseIntegerText(source: string, base: number): number | bigint | undefined {
  if (source.length > MAX_DIGITS) return undefined;
  const text = asciiDigits(source);
  const match = /^([-+]?)(0[xX]|0[oO]|0[bB])?_?(.*)$/s.exec(strip(text));
  if (match === null || base < 0 || base === 1 || base > 36) return undefined;
  const [, sign, prefix, rest = ''] = match;
  const prefixBase =
    prefix === undefined ? undefined : { x: 16, o: 8, b: 2 }[prefix[1]?.toLowerCase() as 'x' | 'o' | 'b'];
  const radix = base === 0 ? (prefixBase ?? 10) : base;
  const digits = prefix !== undefined && prefixBase !== radix ? prefix + rest : rest;
  const underscoreFirst = prefix === undefined && /^[-+]?_/.test(strip(text));
  if (underscoreFirst || !/^[0-9a-zA-Z]+(?:_[0-9a-zA-Z]+)*$/.test(digits)) return undefined;
  let value = 0n;
  for (const digit of digits.replaceAll('_', '')) {
    const n = Number.parseInt(digit, 36);
    if (n >= radix) return undefined;
    value = value * BigInt(radix) + BigInt(n);
  }
  return normalizeInteger(sign === '-' ? -value : value);
}

const FLOAT = /^[-+]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][-+]?\d+(?:_\d+)*)?$/;
const SPECIAL = /^([-+]?)(inf|infinity|nan)$/i;

/** Python's float(text). */
export function parseFloatText(text: string): number | undefined {
  const clean = asciiDigits(strip(text));
  const special = SPECIAL.exec(clean);
  if (special !== null) {
    if (special[2]?.toLowerCase() === 'nan') return Number.NaN;
    return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  return FLOAT.test(clean) ? Number(clean.replaceAll('_', '')) : undefined;
}
