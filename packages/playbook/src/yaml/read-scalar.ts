import type { ScalarNode } from './node.ts';
import { plainValue } from './plain-value.ts';
import {
  COLON,
  HASH,
  isBlank,
  isBlankOrEnd,
  isLineEnd,
  NEWLINE,
  RETURN,
  type ReaderCore,
  shorten,
} from './reader-core.ts';
import { readEscape, ScalarText } from './scalar-text.ts';

/**
 * Quoted text that may go over several lines, indented more than `parent`: a line break is a space, a blank line a line
 * break.
 */
export function readQuoted(core: ReaderCore, parent: number): ScalarNode {
  const start = core.at;
  const { source } = core;
  const quote = source[start] ?? '';
  const text = new ScalarText();
  core.at++;
  for (;;) {
    const from = core.at;
    while (!isQuotedStop(core.code(), quote)) core.at++;
    const code = core.code();
    // Blanks before a line break are layout; before the closing quote or an escape they are text.
    const end = code === NEWLINE || code === RETURN ? blankStart(source, from, core.at) : core.at;
    text.add(source.slice(from, end), from);
    if (Number.isNaN(code)) throw neverClosed(core, start);
    if (source[core.at] === quote) {
      if (quote === '"' || source[core.at + 1] !== "'") break;
      text.addEscaped("'", core.at);
      core.at += 2;
    } else if (source[core.at] === '\\') {
      if (readBackslash(core, text)) checkContinuation(core, start, parent);
    } else {
      foldLineBreak(core, text);
      checkContinuation(core, start, parent);
    }
  }
  core.at++;
  core.countNodes();
  const { text: value, segments } = text.finish();
  return { kind: 'scalar', span: { start, end: core.at }, value, style: 'quoted', segments };
}

/** The further lines of quoted text are indented; one that is not probably lacks the closing quote before it. */
function checkContinuation(core: ReaderCore, start: number, parent: number): void {
  if (core.indentation() <= parent || atMarker(core)) throw neverClosed(core, start);
}

function neverClosed(core: ReaderCore, start: number): Error {
  const span = { start, end: core.lineEnd(start) };
  return core.error(`this text is never closed: expected ${core.source[start]}`, span);
}

/** Where the blanks start that end at `end`. */
function blankStart(source: string, from: number, end: number): number {
  let start = end;
  while (start > from && isBlank(source.charCodeAt(start - 1))) start--;
  return start;
}

function isQuotedStop(code: number, quote: string): boolean {
  return isLineEnd(code) || code === quote.charCodeAt(0) || (code === 92 && quote === '"');
}

/** Appends what the escape means; true if it was an escaped line break, which joins lines without a space. */
function readBackslash(core: ReaderCore, text: ScalarText): boolean {
  if (core.code(1) === NEWLINE || (core.code(1) === RETURN && core.code(2) === NEWLINE)) {
    core.at = core.source.indexOf('\n', core.at) + 1;
    const breaks = skipLineBreaks(core);
    if (breaks > 0) text.add('\n'.repeat(breaks), core.at - breaks);
    return true;
  }
  const escaped = readEscape(core.source, core.at);
  text.addEscaped(escaped.text, core.at);
  core.at = escaped.end;
  return false;
}

/** One line break is a space, each further one a line break; they stand right before the content at `at`. */
function addBreaks(text: ScalarText, breaks: number, at: number): void {
  const folded = breaks <= 1 ? ' ' : '\n'.repeat(breaks - 1);
  text.add(folded, at - folded.length);
}

/** At a line break inside a scalar: goes to the next content and appends what the break means. */
function foldLineBreak(core: ReaderCore, text: ScalarText): void {
  let breaks = 0;
  for (;;) {
    core.skipBlanks();
    if (core.code() === RETURN && core.code(1) === NEWLINE) core.at++;
    if (core.code() !== NEWLINE) break;
    core.at++;
    breaks++;
  }
  if (core.code() === RETURN) core.at++;
  addBreaks(text, breaks, core.at);
}

/**
 * Text without quotes. In a block it goes on over lines that are indented more than `parent`; in a flow it ends at a
 * comma or bracket.
 */
export function readPlain(core: ReaderCore, parent: number, inFlow: boolean): ScalarNode {
  const start = core.at;
  const text = new ScalarText();
  let end = readPlainLine(core, text, inFlow);
  for (;;) {
    const resume = core.at;
    core.skipBlanks();
    if (core.atComment() || !isLineEnd(core.code()) || Number.isNaN(core.code())) {
      core.at = resume;
      break;
    }
    const breaks = skipLineBreaks(core);
    const continues =
      !Number.isNaN(core.code()) &&
      !core.atComment() &&
      (inFlow ? !endsFlowPlain(core) : core.indentation() > parent && !atMarker(core));
    if (!continues) {
      core.at = resume;
      break;
    }
    addBreaks(text, breaks, core.at);
    end = readPlainLine(core, text, inFlow);
  }
  core.countNodes();
  const { text: value, segments } = text.finish();
  const span = { start, end };
  const resolved = plainValue(value);
  if ('problem' in resolved) throw core.fail('NOETL_YAML_NUMBER', resolved.problem, span, resolved.hint);
  return { kind: 'scalar', span, value: resolved.value, style: 'plain', segments };
}

function skipLineBreaks(core: ReaderCore): number {
  let breaks = 0;
  for (;;) {
    core.skipBlanks();
    if (core.code() === RETURN) core.at++;
    if (core.code() !== NEWLINE) return breaks;
    core.at++;
    breaks++;
  }
}

const MARKER_START = '-.';
const atMarker = (core: ReaderCore): boolean =>
  MARKER_START.includes(core.source[core.at] ?? ' ') &&
  core.column() === 0 &&
  /^(?:---|\.\.\.)(?:\s|$)/.test(core.source.slice(core.at, core.at + 4));

const FLOW_ENDS = ',[]{}';
const endsFlowPlain = (core: ReaderCore): boolean => FLOW_ENDS.includes(core.source[core.at] ?? '');

/** Appends one line of plain text and gives the offset where it ends, trailing blanks left out. */
function readPlainLine(core: ReaderCore, text: ScalarText, inFlow: boolean): number {
  const { source } = core;
  const from = core.at;
  let end = from;
  for (; ; core.at++) {
    const code = core.code();
    if (isLineEnd(code)) break;
    if (code === HASH && core.at > from && isBlank(core.code(-1))) break;
    if (code === COLON && (isBlankOrEnd(core.code(1)) || (inFlow && FLOW_ENDS.includes(source[core.at + 1] ?? ' ')))) {
      if (inFlow) break;
      throw nestedColon(core, from);
    }
    if (inFlow && FLOW_ENDS.includes(source[core.at] ?? '')) {
      if (source.startsWith('{{', core.at)) throw unquotedTemplate(core, from);
      break;
    }
    if (!isBlank(code)) end = core.at + 1;
  }
  text.add(source.slice(from, end), from);
  return end;
}

function nestedColon(core: ReaderCore, from: number): Error {
  const line = shorten(core.source.slice(from, core.lineEnd()).trim());
  return core.error(
    `': ' inside of '${line}'`,
    { start: core.at, end: core.at + 1 },
    'Quote the text if the colon belongs to it; otherwise check the indentation: a new key needs a line of its own.',
  );
}

export function unquotedTemplate(core: ReaderCore, from: number): Error {
  const line = core.source.slice(from, core.lineEnd()).replace(/\s+#.*$/, '');
  // Inside of brackets what closes them is no part of the value.
  const value = /^.*\}\}[^,\]}]*/.exec(line)?.[0] ?? line;
  return core.fail(
    'NOETL_YAML_UNQUOTED_TEMPLATE',
    'a template must be quoted: in YAML a bare { starts a mapping',
    { start: core.at, end: core.at + 2 },
    `Write "${shorten(value.trim()).replaceAll('"', "'")}".`,
  );
}
