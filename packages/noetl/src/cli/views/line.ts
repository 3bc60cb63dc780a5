/** A line for a terminal before it is painted, so that it can be measured and cut. */
export type Line = readonly Part[];
export type Part = string | { readonly tint: Tint; readonly text: string };
export type Tint = keyof typeof CODES;

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export const tinted = (tint: Tint, text: string): Part => ({ tint, text });

export const paint = (line: Line, color: boolean): string =>
  line.map((part) => (typeof part === 'string' ? part : painted(part.tint, part.text, color))).join('');

const painted = (tint: Tint, text: string, color: boolean): string =>
  color && text !== '' ? `\u001b[${CODES[tint]}m${text}\u001b[0m` : text;

const textOf = (part: Part): string => (typeof part === 'string' ? part : part.text);

export const widthOfLine = (line: Line): number => line.reduce((width, part) => width + widthOf(textOf(part)), 0);

/** The line without what would not fit into the columns; a sign shows that something is missing. */
export function fit(line: Line, columns: number): Line {
  if (widthOfLine(line) <= columns) return line;
  const kept: Part[] = [];
  let room = Math.max(0, columns - 1);
  for (const part of line) {
    const text = prefix(textOf(part), room);
    kept.push(typeof part === 'string' ? text : { ...part, text });
    room -= widthOf(text);
    if (text !== textOf(part)) break;
  }
  return columns > 0 ? [...kept, '…'] : [];
}

function prefix(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.slice(0, columns);
  let end = 0;
  let width = 0;
  for (const character of text) {
    width += widthOfCharacter(character);
    if (width > columns) break;
    end += character.length;
  }
  return text.slice(0, end);
}

const PLAIN = /^[\u0020-\u007e]*$/;
const NO_WIDTH = /^[\p{M}\p{Cf}]$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;

/** Columns that a terminal takes for the text: none for marks above letters, two for wide characters. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

const widthOfCharacter = (character: string): number => (NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1);
