/** Beyond it a regular expression decides what is a blank and what a letter. */
export const MAX_ASCII = 127;
export const DOUBLE_QUOTE = 34;
export const SINGLE_QUOTE = 39;
const EQUALS = 61;

/** A blank for `\s`. */
export const isAsciiBlank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);

export const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** `a`–`z`, `A`–`Z` and `_`. */
export const isNameStart = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;

const codesOf = (text: string): ReadonlySet<number> => new Set(Array.from(text, (letter) => letter.charCodeAt(0)));
const OPERATORS = codesOf('-+/*%~[](){}><=.:|,;');
const BEFORE_EQUALS = codesOf('=!<>');
const DOUBLED = codesOf('/*');

/** How many characters the operator has that starts with these; 0 if none does. */
export function operatorLength(first: number, second: number): number {
  if (second === EQUALS && BEFORE_EQUALS.has(first)) return 2;
  if (first === second && DOUBLED.has(first)) return 2;
  return OPERATORS.has(first) ? 1 : 0;
}
