import { valueFault } from '../template-error.ts';
import { codePoints, sliceText, textLength } from '../values/code-points.ts';

export interface WrapOptions {
  readonly width: number;
  readonly breakLongWords: boolean;
  readonly breakOnHyphens: boolean;
}

const WORD = '[\\p{L}\\p{N}_]';
const LETTER = '[\\p{L}_]';
const SPACE = '[\\t\\n\\v\\f\\r ]';
const BEFORE_DASH = `[\\p{L}\\p{N}_!"'&.,?]`;

// Runs of space; dashes between words; words, cut after a hyphen between letters and before dashes.
const CHUNKS = new RegExp(
  `${SPACE}+|(?<=${BEFORE_DASH})-{2,}(?=${WORD})|[^\\t\\n\\v\\f\\r ]+?(?:-(?:(?<=${LETTER}{2}-)|(?<=${LETTER}-${BEFORE_DASH}-))(?=${LETTER}-?${LETTER})|(?=${SPACE}|$)|(?<=${BEFORE_DASH})(?=-{2,}${WORD}))`,
  'gu',
);
const SIMPLE_CHUNKS = new RegExp(`${SPACE}+|[^\\t\\n\\v\\f\\r ]+`, 'gu');

/** Lines of at most `width` characters, as Python's textwrap cuts them. */
export function wrapText(text: string, options: WrapOptions): string[] {
  const { width, breakOnHyphens } = options;
  if (width <= 0) throw valueFault(`text cannot be wrapped at a width of ${width}.`);
  const chunks = (text.match(breakOnHyphens ? CHUNKS : SIMPLE_CHUNKS) ?? []).reverse();
  const lines: string[] = [];
  const blank = (chunk: string | undefined) => chunk !== undefined && chunk.trim() === '';
  while (chunks.length > 0) {
    const line: string[] = [];
    let length = 0;
    if (lines.length > 0 && blank(chunks.at(-1))) chunks.pop();
    for (let next = chunks.at(-1); next !== undefined && length + textLength(next) <= width; next = chunks.at(-1)) {
      line.push(next);
      length += textLength(next);
      chunks.pop();
    }
    const next = chunks.at(-1);
    if (next !== undefined && textLength(next) > width) placeLongWord(chunks, next, line, width - length, options);
    if (blank(line.at(-1))) line.pop();
    if (line.length > 0) lines.push(line.join(''));
  }
  return lines;
}

function placeLongWord(chunks: string[], chunk: string, line: string[], space: number, options: WrapOptions): void {
  if (options.breakLongWords) {
    let end = space;
    if (options.breakOnHyphens && textLength(chunk) > space) {
      const head = codePoints(chunk).slice(0, space);
      const hyphen = head.lastIndexOf('-');
      if (hyphen > 0 && head.slice(0, hyphen).some((character) => character !== '-')) end = hyphen + 1;
    }
    line.push(sliceText(chunk, 0, end));
    chunks[chunks.length - 1] = sliceText(chunk, end);
  } else if (line.length === 0) {
    line.push(chunk);
    chunks.pop();
  }
}
