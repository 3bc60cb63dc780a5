import { valueFault } from '../template-error.ts';
import { codePoints } from '../values/code-points.ts';
import { isSpace } from './python-text.ts';

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

/** What is left of a chunk: its characters from `from` on. Cutting moves `from` and copies nothing. */
interface Piece {
  readonly characters: readonly string[];
  from: number;
}

const lengthOf = ({ characters, from }: Piece): number => characters.length - from;
const isBlank = ({ characters, from }: Piece): boolean =>
  isSpace(characters[from] ?? '') && isSpace(characters.slice(from).join(''));

/** Takes up to `count` characters off the front. */
function take(piece: Piece, count: number): string {
  const text = piece.characters.slice(piece.from, piece.from + count).join('');
  piece.from += count;
  return text;
}

/** Lines of at most `width` characters, as Python's textwrap cuts them. */
export function wrapText(text: string, options: WrapOptions): string[] {
  const { width } = options;
  if (width <= 0) throw valueFault(`text cannot be wrapped at a width of ${width}.`);
  const chunks = text.match(options.breakOnHyphens ? CHUNKS : SIMPLE_CHUNKS) ?? [];
  const pieces: Piece[] = chunks.map((chunk) => ({ characters: codePoints(chunk), from: 0 })).reverse();
  const lines: string[] = [];
  for (let next = pieces.at(-1); next !== undefined; next = pieces.at(-1)) {
    if (lines.length > 0 && isBlank(next)) {
      pieces.pop();
      next = pieces.at(-1);
    }
    const line: string[] = [];
    let length = 0;
    for (; next !== undefined && length + lengthOf(next) <= width; next = pieces.at(-1)) {
      length += lengthOf(next);
      line.push(take(next, lengthOf(next)));
      pieces.pop();
    }
    if (next !== undefined && lengthOf(next) > width) {
      if (options.breakLongWords) line.push(take(next, cutAt(next, width - length, options.breakOnHyphens)));
      else if (line.length === 0) {
        line.push(take(next, lengthOf(next)));
        pieces.pop();
      }
    }
    if (isSpace(line.at(-1) ?? '')) line.pop();
    if (line.length > 0) lines.push(line.join(''));
  }
  return lines;
}

/** Where to cut a word that is too long for `space`: after its last hyphen that still fits, else where the space ends. */
function cutAt({ characters, from }: Piece, space: number, onHyphen: boolean): number {
  if (!onHyphen) return space;
  const head = characters.slice(from, from + space);
  const hyphen = head.lastIndexOf('-');
  return hyphen > 0 && head.slice(0, hyphen).some((character) => character !== '-') ? hyphen + 1 : space;
}
