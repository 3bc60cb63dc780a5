import { prefix, shortened, widthOf } from './text-width.ts';

/** A line for a terminal before it is painted, so that it can be measured and cut. */
export type Line = readonly Part[];
export type Part = string | Tinted;
export type Tint = keyof typeof CODES;

interface Tinted {
  readonly tint: Tint;
  readonly text: string;
  /** Loses its middle before the line loses its end. */
  readonly elastic?: true;
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export const tinted = (tint: Tint, text: string): Part => ({ tint, text });

export const elastic = (tint: Tint, text: string): Part => ({ tint, text, elastic: true });

export const paint = (line: Line, color: boolean): string =>
  line.map((part) => (typeof part === 'string' ? part : painted(part.tint, part.text, color))).join('');

const painted = (tint: Tint, text: string, color: boolean): string =>
  color && text !== '' ? `\u001b[${CODES[tint]}m${text}\u001b[0m` : text;

const textOf = (part: Part): string => (typeof part === 'string' ? part : part.text);

export const widthOfLine = (line: Line): number => line.reduce((width, part) => width + widthOf(textOf(part)), 0);

/** The line without what would not fit into the columns; a sign shows that something is missing. */
export function fit(line: Line, columns: number): Line {
  const narrow = line.reduce((less, part, at) => withShorter(less, part, at, columns), line);
  if (widthOfLine(narrow) <= columns) return narrow;
  const kept: Part[] = [];
  let room = Math.max(0, columns - 1);
  for (const part of narrow) {
    const text = prefix(textOf(part), room);
    kept.push(typeof part === 'string' ? text : { ...part, text });
    room -= widthOf(text);
    if (text !== textOf(part)) break;
  }
  return columns > 0 ? [...kept, '…'] : [];
}

/** What is left of an elastic part at least: its first and its last character. */
const SHORTEST = 3;

function withShorter(line: Line, part: Part, at: number, columns: number): Line {
  const excess = widthOfLine(line) - columns;
  if (excess <= 0 || typeof part === 'string' || part.elastic !== true) return line;
  return line.with(at, { ...part, text: shortened(part.text, Math.max(SHORTEST, widthOf(part.text) - excess)) });
}
