import { codePoints, mapCharacters, textLength } from '../values/code-points.ts';

/** Python's text operations where JavaScript's differ. */

const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const LEADING_SPACE = new RegExp(`^[${SPACE}]+`);
const SPACE_CHARACTER = new RegExp(`[${SPACE}]`);
const SPACES = new RegExp(`[${SPACE}]+`, 'g');

export const isSpace = (text: string): boolean => text !== '' && text.replace(SPACES, '') === '';

export function stripStart(text: string, characters?: string): string {
  if (characters === undefined) return text.replace(LEADING_SPACE, '');
  const drop = new Set(codePoints(characters));
  const all = codePoints(text);
  let start = 0;
  while (start < all.length && drop.has(all[start] ?? '')) start++;
  return all.slice(start).join('');
}

export function stripEnd(text: string, characters?: string): string {
  // A regular expression anchored at the end would look at every run of spaces: walk back instead.
  const drop = characters === undefined ? undefined : new Set(codePoints(characters));
  const all = codePoints(text);
  let end = all.length;
  while (end > 0 && (drop === undefined ? SPACE_CHARACTER.test(all[end - 1] ?? '') : drop.has(all[end - 1] ?? '')))
    end--;
  return all.slice(0, end).join('');
}

export const strip = (text: string, characters?: string): string => stripEnd(stripStart(text, characters), characters);

/** The words between runs of whitespace. */
export const words = (text: string): string[] => text.split(SPACES).filter((word) => word !== '');

const LINE_BREAK = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g;

export function splitLines(text: string, keepEnds = false): string[] {
  const lines: string[] = [];
  let start = 0;
  for (const match of text.matchAll(LINE_BREAK)) {
    const end = match.index + match[0].length;
    lines.push(text.slice(start, keepEnds ? end : match.index));
    start = end;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}

export const capitalize = (text: string): string => {
  const [first = ''] = text;
  return titleCase(first) + text.slice(first.length).toLowerCase();
};

const DIGRAPHS: Readonly<Record<string, string>> = { ǆ: 'ǅ', Ǆ: 'ǅ', ǉ: 'ǈ', Ǉ: 'ǈ', ǌ: 'ǋ', Ǌ: 'ǋ', ǳ: 'ǲ', Ǳ: 'ǲ' };

/** One character as the start of a word: 'ß' becomes 'Ss'. */
function titleCase(character: string): string {
  const [first = '', ...rest] = codePoints(DIGRAPHS[character] ?? character.toUpperCase());
  return first + rest.join('').toLowerCase();
}

const isCased = (character: string): boolean => character.toLowerCase() !== character.toUpperCase();

/** Python's str.title: a letter that follows a letter with case is lower, any other starts a word. */
export function titleText(text: string): string {
  let inWord = false;
  return mapCharacters(text, (character) => {
    const titled = inWord ? character.toLowerCase() : titleCase(character);
    inWord = isCased(character);
    return titled;
  });
}

/** Python's str.istitle: every word with case starts with an upper letter and has no other. */
export function isTitle(text: string): boolean {
  let inWord = false;
  let found = false;
  for (const character of codePoints(text)) {
    if (isCased(character)) {
      const lower = character === character.toLowerCase();
      if (lower !== inWord) return false;
      found = true;
    }
    inWord = isCased(character);
  }
  return found;
}

/** Text for comparison without regard to case: 'ß' and 'ﬁ' are spelled out, every sigma is the same. */
export const casefold = (text: string): string =>
  mapCharacters(text, (character) => (character === 'ı' ? character : character.toUpperCase().toLowerCase()));

export function center(text: string, width: number, fill = ' '): string {
  const missing = width - textLength(text);
  if (missing <= 0) return text;
  // Where the space is odd, Python puts the extra one by the parity of the width.
  const left = Math.floor(missing / 2) + (missing & width & 1);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

/** Python's str.replace: an empty `from` matches between all characters. */
export function replaceText(text: string, from: string, to: string, count: number): string {
  const limit = count < 0 ? Number.POSITIVE_INFINITY : count;
  if (from === '') {
    const parts = codePoints(text);
    let out = '';
    for (let i = 0; i <= parts.length; i++) out += (i < limit ? to : '') + (parts[i] ?? '');
    return out;
  }
  if (limit === Number.POSITIVE_INFINITY) return text.split(from).join(to);
  let out = '';
  let start = 0;
  for (let done = 0; done < limit; done++) {
    const at = text.indexOf(from, start);
    if (at < 0) break;
    out += text.slice(start, at) + to;
    start = at + from.length;
  }
  return out + text.slice(start);
}

/** How often `part` occurs without overlap. */
export function countText(text: string, part: string): number {
  return part === '' ? textLength(text) + 1 : text.split(part).length - 1;
}
