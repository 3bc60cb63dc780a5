/** Python counts code points, JavaScript UTF-16 units. They differ only where surrogates occur. */
const SURROGATE = /[\ud800-\udfff]/;

export const textLength = (text: string): number => (SURROGATE.test(text) ? codePoints(text).length : text.length);

/** The characters of a text as Python sees them. */
export const codePoints = (text: string): readonly string[] =>
  SURROGATE.test(text) ? Array.from(text) : text.split('');

export function sliceText(text: string, start: number, end?: number): string {
  return SURROGATE.test(text) ? codePoints(text).slice(start, end).join('') : text.slice(start, end);
}

/** One character by its position, from the end if negative; undefined if there is none. */
export function characterAt(text: string, index: number): string | undefined {
  if (SURROGATE.test(text)) return codePoints(text).at(index);
  return text[index < 0 ? index + text.length : index];
}

/** The text with every character replaced, without a list of a million characters in between. */
export function mapCharacters(text: string, replace: (character: string) => string): string {
  let out = '';
  for (const character of text) out += replace(character);
  return out;
}

/** Order by code point, as Python's `<` on text. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  if (!SURROGATE.test(a) && !SURROGATE.test(b)) return a < b ? -1 : 1;
  const left = codePoints(a);
  const right = codePoints(b);
  const shared = Math.min(left.length, right.length);
  for (let i = 0; i < shared; i++) {
    const difference = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
