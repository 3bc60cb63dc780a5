import type { ScalarNode } from './node.ts';
import { codeAt, isBlank, isLineEnd, type ReaderCore, SPACE } from './reader-core.ts';
import { Scalar } from './scalar.ts';
import { ScalarText } from './scalar-text.ts';

const HEADER = /[|>](?:([+-])([1-9])?|([1-9])([+-])?)?(?=[ \t\r\n]|$)/y;

const MARKER = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/;

interface Line {
  readonly text: string;
  /** Offset of the text, after the indentation. */
  readonly at: number;
}

/** `|` keeps the lines as they are, `>` folds them; what follows is everything indented more than `parent`. */
export function readBlockScalar(core: ReaderCore, parent: number): ScalarNode {
  const start = core.at;
  HEADER.lastIndex = start;
  const header = HEADER.exec(core.source);
  if (header === null) {
    throw core.error(
      `'${core.source[start]}' starts a block of text`,
      { start, end: start + 1 },
      'Write | or >, then the text on the next lines, or quote the value.',
    );
  }
  const chomp = header[1] ?? header[4];
  const explicit = header[2] ?? header[3];
  core.at += header[0].length;
  core.expectLineEnd();
  core.at = core.lineEnd();
  const indent = explicit === undefined ? detectIndent(core, parent) : Math.max(parent, 0) + Number(explicit);
  const lines = readLines(core, indent, parent);
  const trailing = countTrailingBlank(lines);
  const content = lines.slice(0, lines.length - trailing);
  const text = new ScalarText();
  if (header[0].startsWith('|')) literal(text, content);
  else folded(text, content);
  const last = content.at(-1);
  const end = last === undefined ? core.at : last.at + last.text.length;
  if (chomp !== '-' && content.length > 0) text.add('\n', end);
  if (chomp === '+') text.addEscaped('\n'.repeat(trailing), end);
  core.countNodes();
  const { text: value, places } = text.finish();
  return new Scalar({ start, end }, value, 'block', places);
}

/** The indentation of the first line with text, or of the longest blank one; leaves the reader where it is. */
function detectIndent(core: ReaderCore, parent: number): number {
  const { source } = core;
  let at = core.at;
  let widest = parent + 1;
  while (at < source.length) {
    const lineStart = nextLine(core, at);
    if (lineStart < 0) break;
    let first = lineStart;
    while (source.charCodeAt(first) === SPACE) first++;
    if (!isLineEnd(codeAt(source, first))) return first - lineStart > parent ? first - lineStart : widest;
    widest = Math.max(widest, first - lineStart);
    at = first;
  }
  return widest;
}

/** The start of the line after the one that ends at or after `at`; -1 if there is none. */
function nextLine(core: ReaderCore, at: number): number {
  const end = core.source.indexOf('\n', at);
  return end < 0 ? -1 : end + 1;
}

/** Leaves the reader at the end of the last line that belongs to the block. */
function readLines(core: ReaderCore, indent: number, parent: number): readonly Line[] {
  const { source } = core;
  const lines: Line[] = [];
  for (;;) {
    const start = nextLine(core, core.at);
    if (start < 0 || start >= source.length) break;
    let first = start;
    while (first - start < indent && source.charCodeAt(first) === SPACE) first++;
    const end = core.lineEnd(start);
    const blank = source.slice(first, end).trim() === '' && first - start < indent;
    // A marker ends the document, also where text needs no indentation.
    if (parent < 0 && MARKER.test(source.slice(start, start + 4))) break;
    if (!blank && first - start < indent) {
      if (first - start > parent && source.charCodeAt(first) !== 35) {
        throw core.error(
          'this line is indented less than the block of text it follows',
          { start: first, end },
          'Indent all its lines alike.',
        );
      }
      break;
    }
    // Blanks at the very end of the file are no line.
    if (end === source.length && (blank || first === end)) break;
    lines.push({ text: blank ? '' : source.slice(first, end), at: first });
    core.at = end;
  }
  return lines;
}

function countTrailingBlank(lines: readonly Line[]): number {
  let count = 0;
  while (count < lines.length && lines[lines.length - 1 - count]?.text === '') count++;
  return count;
}

function literal(text: ScalarText, lines: readonly Line[]): void {
  lines.forEach((line, i) => {
    text.add(line.text, line.at);
    if (i < lines.length - 1) text.add('\n', line.at + line.text.length);
  });
}

/** Neighbouring lines become one; blank lines are line breaks; lines indented further keep theirs. */
function folded(text: ScalarText, lines: readonly Line[]): void {
  let pending = 0;
  let previous: Line | undefined;
  for (const line of lines) {
    if (line.text === '') {
      pending++;
      continue;
    }
    const indented =
      isBlank(line.text.charCodeAt(0)) || (previous !== undefined && isBlank(previous.text.charCodeAt(0)));
    const breaks = previous === undefined ? pending : indented ? pending + 1 : pending;
    const between = breaks > 0 ? '\n'.repeat(breaks) : previous === undefined ? '' : ' ';
    text.add(between, line.at - between.length);
    text.add(line.text, line.at);
    previous = line;
    pending = 0;
  }
}

export const startsBlockScalar = (code: number): boolean => code === 124 || code === 62;
