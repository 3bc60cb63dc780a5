import { addEscape } from './escape.ts';
import type { ScalarNode } from './node.ts';
import { plainValue } from './plain-value.ts';
import {
  COLON,
  codeAt,
  END,
  HASH,
  isBlank,
  isBlankOrEnd,
  isLineEnd,
  NEWLINE,
  RETURN,
  type ReaderCore,
  shorten,
} from './reader-core.ts';
import { Scalar } from './scalar.ts';
import { ScalarText } from './scalar-text.ts';

const BACKSLASH = 92;
const DOUBLE_QUOTE = 34;

/** In the file itself there is none; escapes could make one. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/**
 * Quoted text that may go over several lines, indented more than `parent`: a line break is a space, a blank line a line
 * break.
 */
export function readQuoted(core: ReaderCore, parent: number): ScalarNode {
  const start = core.at;
  const { source } = core;
  const quote = source.charCodeAt(start);
  const stop = quotedStop(source, start + 1, quote);
  // Most text stands on one line as it is.
  if (closes(source, stop, quote)) {
    core.at = stop + 1;
    core.countNodes();
    return new Scalar({ start, end: core.at }, source.slice(start + 1, stop), 'quoted', start + 1);
  }
  const { text, places } = readQuotedParts(core, quote, parent);
  core.countNodes();
  const span = { start, end: core.at };
  if (LONE_SURROGATE.test(text)) {
    const hint = 'Write both halves, or the character itself.';
    throw core.fail('NOETL_YAML_ENCODING', 'an escape that is half of a character', span, hint);
  }
  return new Scalar(span, text, 'quoted', places);
}

/** Text with line breaks or escapes. */
function readQuotedParts(core: ReaderCore, quote: number, parent: number): ReturnType<ScalarText['finish']> {
  const start = core.at;
  const { source } = core;
  const text = new ScalarText();
  core.at++;
  for (;;) {
    const from = core.at;
    core.at = quotedStop(source, from, quote);
    const code = core.code();
    // Blanks before a line break are layout; before the closing quote or an escape they are text.
    const end = code === NEWLINE || code === RETURN ? blankStart(source, from, core.at) : core.at;
    if (end > from) text.add(source.slice(from, end), from);
    if (code === END) throw neverClosed(core, start);
    if (code === quote) {
      if (closes(source, core.at, quote)) break;
      text.addUnit(quote, core.at);
      core.at += 2;
    } else if (code === BACKSLASH) {
      if (readBackslash(core, text)) checkContinuation(core, start, parent);
    } else {
      foldLineBreak(core, text);
      checkContinuation(core, start, parent);
    }
  }
  core.at++;
  return text.finish();
}

/** The first offset from `at` on that is not simply text. */
function quotedStop(source: string, from: number, quote: number): number {
  for (let at = from; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === quote || code === NEWLINE || code === RETURN || (code === BACKSLASH && quote === DOUBLE_QUOTE))
      return at;
  }
  return source.length;
}

/** Whether the text ends at `at`; two single quotes are one that belongs to the text. */
const closes = (source: string, at: number, quote: number): boolean =>
  codeAt(source, at) === quote && (quote === DOUBLE_QUOTE || codeAt(source, at + 1) !== quote);

/** The further lines of quoted text are indented; one that is not probably lacks the closing quote before it. */
function checkContinuation(core: ReaderCore, start: number, parent: number): void {
  if (core.indentation() <= parent || atMarker(core)) throw neverClosed(core, start);
}

function neverClosed(core: ReaderCore, start: number): Error {
  const span = { start, end: core.lineEnd(start) };
  const quote = core.source[start];
  return core.error(`this text is never closed: expected ${quote}`, span, `Add ${quote} at its end; indent its lines.`);
}

/** Where the blanks start that end at `end`. */
function blankStart(source: string, from: number, end: number): number {
  let start = end;
  while (start > from && isBlank(source.charCodeAt(start - 1))) start--;
  return start;
}

/** Appends what the escape means; true if it was an escaped line break, which joins lines without a space. */
function readBackslash(core: ReaderCore, text: ScalarText): boolean {
  if (core.code(1) === NEWLINE || (core.code(1) === RETURN && core.code(2) === NEWLINE)) {
    core.at = core.source.indexOf('\n', core.at) + 1;
    const breaks = skipLineBreaks(core);
    if (breaks > 0) text.add('\n'.repeat(breaks), core.at - breaks);
    return true;
  }
  core.at = addEscape(text, core.source, core.at);
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
  let end = scanPlainLine(core, inFlow);
  // Most plain text is on one line: only more lines need to be put together.
  let lines: ScalarText | undefined;
  for (;;) {
    const resume = core.at;
    core.skipBlanks();
    const code = core.code();
    if (code !== NEWLINE && code !== RETURN) {
      core.at = resume;
      break;
    }
    const breaks = skipLineBreaks(core);
    const continues =
      core.code() !== END &&
      !core.atComment() &&
      !atMarker(core) &&
      (inFlow ? !isFlowEnd(core.code()) : core.indentation() > parent);
    if (!continues) {
      core.at = resume;
      break;
    }
    if (lines === undefined) {
      lines = new ScalarText();
      lines.add(core.source.slice(start, end), start);
    }
    addBreaks(lines, breaks, core.at);
    const from = core.at;
    end = scanPlainLine(core, inFlow);
    lines.add(core.source.slice(from, end), from);
  }
  core.countNodes();
  const { text, places } = lines?.finish() ?? { text: core.source.slice(start, end), places: start };
  const span = { start, end };
  const resolved = plainValue(text);
  if ('problem' in resolved) core.note(core.fail('NOETL_YAML_NUMBER', resolved.problem, span, resolved.hint));
  return new Scalar(span, 'problem' in resolved ? text : resolved.value, 'plain', places);
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

/** Whether the document ends here, whatever is open. */
export const atMarker = (core: ReaderCore): boolean =>
  MARKER_START.includes(core.source[core.at] ?? ' ') &&
  core.column() === 0 &&
  /^(?:---|\.\.\.)(?:\s|$)/.test(core.source.slice(core.at, core.at + 4));

/** `,` `[` `]` `{` `}` */
const isFlowEnd = (code: number): boolean => code === 44 || code === 91 || code === 93 || code === 123 || code === 125;

/** Goes over one line of plain text and gives the offset where it ends, trailing blanks left out. */
function scanPlainLine(core: ReaderCore, inFlow: boolean): number {
  const { source } = core;
  const from = core.at;
  let at = from;
  let end = from;
  for (; ; at++) {
    const code = codeAt(source, at);
    if (isLineEnd(code)) break;
    if (code === HASH && at > from && isBlank(source.charCodeAt(at - 1))) break;
    if (code === COLON && endsKey(source, at, inFlow)) {
      core.at = at;
      if (inFlow) break;
      throw nestedColon(core, from);
    }
    if (inFlow && isFlowEnd(code)) {
      core.at = at;
      if (source.startsWith('{{', at)) throw unquotedTemplate(core, from);
      break;
    }
    if (!isBlank(code)) end = at + 1;
  }
  core.at = at;
  return end;
}

/** Whether the colon at `at` ends a key rather than being part of a word. */
const endsKey = (source: string, at: number, inFlow: boolean): boolean => {
  const next = codeAt(source, at + 1);
  return isBlankOrEnd(next) || (inFlow && isFlowEnd(next));
};

function nestedColon(core: ReaderCore, from: number): Error {
  const line = shorten(core.source.slice(from, core.lineEnd()).trim());
  return core.error(
    `': ' inside of '${line}'`,
    { start: core.at, end: core.at + 1 },
    'Quote the text if the colon belongs to it; otherwise check the indentation: a new key needs a line of its own.',
  );
}

export function unquotedTemplate(core: ReaderCore, from: number): Error {
  const line = core.source.slice(from, Math.min(core.lineEnd(), from + 200)).replace(/\s+#.*$/, '');
  // Inside of brackets what closes them is no part of the value.
  const value = /^.*\}\}[^,\]}]*/.exec(line)?.[0] ?? line;
  return core.fail(
    'NOETL_YAML_UNQUOTED_TEMPLATE',
    'a template must be quoted: in YAML a bare { starts a mapping',
    { start: core.at, end: core.at + 2 },
    `Write "${shorten(value.trim()).replaceAll('"', "'")}".`,
  );
}
