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

/** As much of the beginning as the columns have room for. */
export function prefix(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.slice(0, Math.max(0, columns));
  let end = 0;
  let width = 0;
  for (const character of text) {
    width += widthOfCharacter(character);
    if (width > columns) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** Both ends of a text that has no room, with a sign for what is missing between them. */
export function shortened(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (columns < 1) return '';
  const head = prefix(text, Math.ceil((columns - 1) / 2));
  return `${head}…${suffix(text, columns - 1 - widthOf(head))}`;
}

function suffix(text: string, columns: number): string {
  let kept = '';
  let width = 0;
  for (const character of [...text].reverse()) {
    width += widthOfCharacter(character);
    if (width > columns) break;
    kept = `${character}${kept}`;
  }
  return kept;
}

/** A text in at most so many rows, broken between words where there are any; too long a text loses its middle. */
export function folded(text: string, columns: number, rows: number): readonly string[] {
  const width = Math.max(1, columns);
  for (let room = Math.min(widthOf(text), width * rows); room > 0; room--) {
    const lines = wrapped(shortened(text, room), width);
    if (lines.length <= rows) return lines;
  }
  return [];
}

function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const most = prefix(rest, columns);
    const blank = most === rest ? -1 : rest.slice(0, most.length + 1).lastIndexOf(' ');
    const line = blank > 0 ? rest.slice(0, blank) : most || rest;
    lines.push(line);
    rest = rest.slice(line.length).trimStart();
  }
  return lines;
}
