import { KeySet } from './key-set.ts';
import { YAML_LIMITS } from './limits.ts';
import type { MapEntry, Span, YamlNode } from './node.ts';
import { readBlockScalar, startsBlockScalar } from './read-block-scalar.ts';
import { readFlow } from './read-flow.ts';
import { readPlain, readQuoted } from './read-scalar.ts';
import {
  COLON,
  codeAt,
  DASH,
  END,
  HASH,
  isBlank,
  isBlankOrEnd,
  isLineEnd,
  NEWLINE,
  ReaderCore,
  shorten,
} from './reader-core.ts';
import { YamlError } from './yaml-error.ts';

/** The document, or its first error with all that were found; the node is there if reading could go on after them. */
export type YamlResult =
  | { readonly node: YamlNode }
  | { readonly error: YamlError; readonly errors: readonly YamlError[]; readonly node: YamlNode | undefined };

/**
 * Reads a YAML 1.2 document. Made for playbooks: every node knows its place, time grows with the length of the text,
 * and hostile input (bombs, nesting, broken text) ends in an error. Tags, directives, merge keys, keys that are
 * no scalars or have an anchor, `[key: value]`, values that contain themselves and several documents in one file are refused.
 */
export function readYaml(source: string): YamlResult {
  const core = new ReaderCore(source);
  try {
    checkText(source);
    const node = readDocument(core);
    const [error] = core.noted;
    return error === undefined ? { node } : { error, errors: core.noted, node };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const errors = [...core.noted, error];
    return { error: errors[0] ?? error, errors, node: undefined };
  }
}

const MARKER = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/;

function readDocument(core: ReaderCore): YamlNode {
  core.skipToContent();
  if (core.source[core.at] === '%') {
    throw core.fail('NOETL_YAML_UNSUPPORTED', 'directives are not supported', core.here(), 'Remove the line.');
  }
  if (atMarker(core, '---')) {
    core.at += 3;
    core.skipToContent();
  }
  const empty = core.code() === END || atMarker(core, '---') || atMarker(core, '...');
  const node = empty ? core.nullNode(core.at) : readNode(core, -1, false);
  if (core.skipToContent() < 0) return node;
  if (atMarker(core, '...')) {
    core.at += 3;
    if (core.skipToContent() < 0) return node;
  }
  if (MARKER.test(core.source.slice(core.at, core.at + 4))) {
    throw core.fail(
      'NOETL_YAML_UNSUPPORTED',
      'a second document in the file',
      { start: core.at, end: core.at + 3 },
      'A file holds one playbook.',
    );
  }
  throw core.error(
    `unexpected '${shorten(core.source.slice(core.at, core.lineEnd()))}'`,
    core.here(),
    'Check the indentation.',
  );
}

const atMarker = (core: ReaderCore, marker: string): boolean =>
  core.column() === 0 && core.source.startsWith(marker, core.at) && isBlankOrEnd(core.code(3));

// biome-ignore format: one rule a line
function checkText(source: string): void {
  const everything = { start: 0, end: Math.min(source.length, 1) };
  if (bytesOf(source) > YAML_LIMITS.size) throw new YamlError('NOETL_YAML_LIMIT', everything, 'the file has more than 1 MiB', 'Move large data into files or a database.');
  const end = lineLimit(source);
  if (end >= 0) throw new YamlError('NOETL_YAML_LIMIT', { start: end, end }, `more than ${YAML_LIMITS.lines} lines`, 'Move large data into files or a database.');
  const bad = source.search(/[\0\ufffd\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
  if (bad < 0) return;
  const span = { start: bad, end: bad + 1 };
  throw new YamlError('NOETL_YAML_ENCODING', span, 'a character that is no text: the file is not UTF-8, or is damaged', 'Save it as UTF-8.');
}

/** Where the last line ends that a file may have; -1 if it has no more. */
function lineLimit(source: string): number {
  let at = -1;
  for (let lines = 0; lines < YAML_LIMITS.lines; lines++) {
    at = source.indexOf('\n', at + 1);
    if (at < 0) return -1;
  }
  return at + 1 < source.length ? at : -1;
}

/** The length in UTF-8; counted only where it could matter. */
export function bytesOf(source: string): number {
  if (source.length > YAML_LIMITS.size || source.length * 3 <= YAML_LIMITS.size) return source.length;
  let bytes = 0;
  for (let i = 0; i < source.length; i++) {
    const unit = source.charCodeAt(i);
    // Each half of a pair counts for two of its four bytes.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
  }
  return bytes;
}

/** The value at the current place. `parent` is the column of the collection around it; `inline`: it follows a key on its line. */
function readNode(core: ReaderCore, parent: number, inline: boolean): YamlNode {
  const first = core.source[core.at] ?? '';
  const code = core.code();
  if (first === '&') return readAnchored(core, parent, inline);
  if (first === '!')
    throw core.fail('NOETL_YAML_UNSUPPORTED', 'tags are not supported', core.here(), 'Remove it, or quote the text.');
  if (startsItem(core)) {
    if (inline)
      throw core.error("a list cannot start on its key's line", core.here(), 'Put the first - on the next line.');
    return core.nested(() => readList(core, core.column()));
  }
  refuseComplexKey(core);
  const colon = keyEnd(core);
  if (colon >= 0) {
    if (inline) throw secondKey(core);
    return core.nested(() => readMap(core, core.column(), colon));
  }
  if (startsBlockScalar(code)) return readBlockScalar(core, parent);
  const node = readInline(core, first, parent);
  core.expectLineEnd();
  return node;
}

function readInline(core: ReaderCore, first: string, parent: number): YamlNode {
  switch (first) {
    case '[':
    case '{':
      return readFlow(core);
    case '"':
    case "'":
      return readQuoted(core, parent);
    case '*':
      return core.alias();
    case '%':
    case '@':
    case '`':
    case ',':
    case ']':
    case '}':
      throw core.error(`a value cannot start with '${first}'`, core.here(), 'Quote it.');
    default:
      return readPlain(core, parent, false);
  }
}

function readAnchored(core: ReaderCore, parent: number, inline: boolean): YamlNode {
  return core.anchored(() => {
    if (core.atLineEnd()) return inline ? readBelow(core, parent) : readItemBelow(core, parent);
    if (startsItem(core) || keyEnd(core) >= 0) {
      throw core.fail(
        'NOETL_YAML_UNSUPPORTED',
        'an anchor before a key or a list item',
        core.here(),
        'Put the anchor on a line of its own.',
      );
    }
    return readNode(core, parent, inline);
  });
}

const startsItem = (core: ReaderCore): boolean => core.code() === DASH && isBlankOrEnd(core.code(1));

/** The value that starts on a later line, or nothing. */
function readBelow(core: ReaderCore, parent: number): YamlNode {
  const empty = core.at;
  const column = core.skipToContent();
  if (column > parent) return readNode(core, parent, false);
  if (column === parent && startsItem(core)) return core.nested(() => readList(core, column));
  return core.nullNode(empty);
}

function secondKey(core: ReaderCore): YamlError {
  const line = shorten(core.source.slice(core.at, core.lineEnd()).trim());
  return core.error(
    `a second key on the line: '${line}'`,
    core.here(),
    'Quote the text if the colon belongs to it, or put the key on a line of its own.',
  );
}

function readList(core: ReaderCore, column: number): YamlNode {
  const start = core.at;
  const items: YamlNode[] = [];
  let end = start;
  for (;;) {
    core.at++;
    core.skipBlanks();
    // A list inside a list may not share its column.
    const item = core.atLineEnd() ? readItemBelow(core, column) : readNode(core, column, false);
    items.push(item);
    end = Math.max(end, item.span.end);
    const next = core.skipToContent();
    if (next < column || (next === column && !startsItem(core))) break;
    if (next > column) throw indentation(core);
    if (atMarker(core, '---')) break;
  }
  core.countNodes();
  return { kind: 'list', span: { start, end }, items };
}

/** The value of a list item that starts on a later line, or nothing. */
function readItemBelow(core: ReaderCore, column: number): YamlNode {
  const empty = core.at;
  if (core.skipToContent() <= column || atMarker(core, '---') || atMarker(core, '...')) return core.nullNode(empty);
  return readNode(core, column, false);
}

/** `firstColon` ends the first key. */
function readMap(core: ReaderCore, column: number, firstColon: number): YamlNode {
  const start = core.at;
  const entries: MapEntry[] = [];
  const keys = new KeySet(core, entries);
  let colon = firstColon;
  let end = start;
  for (;;) {
    const { key, keySpan } = readKey(core, colon);
    const allowed = keys.add(key, keySpan);
    core.skipBlanks();
    const value = core.atLineEnd() ? readBelow(core, column) : readNode(core, column, true);
    if (allowed) entries.push({ key, keySpan, value });
    end = Math.max(end, keySpan.end, value.span.end);
    const next = core.skipToContent();
    if (next < column || (column === 0 && (atMarker(core, '---') || atMarker(core, '...')))) break;
    if (next > column) throw indentation(core);
    refuseComplexKey(core);
    colon = startsItem(core) ? -1 : keyEnd(core);
    if (colon < 0) {
      const line = shorten(core.source.slice(core.at, core.lineEnd()));
      throw core.error(
        `expected 'key: value', found '${line}'`,
        { start: core.at, end: core.lineEnd() },
        'Write a colon and a blank after the key; indent text that goes on from the line before.',
      );
    }
  }
  core.countNodes();
  return { kind: 'map', span: { start, end }, entries };
}

function refuseComplexKey(core: ReaderCore): void {
  if (core.source[core.at] === '?' && isBlankOrEnd(core.code(1))) {
    throw core.fail('NOETL_YAML_UNSUPPORTED', "'? ' keys are not supported", core.here(), 'Write key: value.');
  }
}

function indentation(core: ReaderCore): YamlError {
  return core.error(
    'this line is indented further than what it follows',
    core.here(),
    'Line it up with the keys or items it belongs to.',
  );
}

const NO_PLAIN_START = ',[]{}#&*!|>@%`';
const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const BACKSLASH = 92;

/** The offset of the colon that ends the key which this line starts with; -1 if it starts with none. */
function keyEnd(core: ReaderCore): number {
  const first = core.code();
  if (first === DOUBLE_QUOTE || first === SINGLE_QUOTE) return quotedKeyEnd(core.source, core.at, first);
  return NO_PLAIN_START.includes(core.source[core.at] ?? '') ? -1 : plainKeyEnd(core);
}

function quotedKeyEnd(source: string, start: number, quote: number): number {
  for (let at = start + 1; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === NEWLINE) return -1;
    if (code === BACKSLASH && quote === DOUBLE_QUOTE) {
      if (isLineEnd(codeAt(source, ++at))) return -1;
    } else if (code === quote) {
      if (quote === DOUBLE_QUOTE || codeAt(source, at + 1) !== quote) return colonAfter(source, at + 1);
      at++;
    }
  }
  return -1;
}

/** The colon that ends a key, if nothing but blanks stands before it; else -1. */
function colonAfter(source: string, from: number): number {
  let at = from;
  while (isBlank(codeAt(source, at))) at++;
  return codeAt(source, at) === COLON && isBlankOrEnd(codeAt(source, at + 1)) ? at : -1;
}

function plainKeyEnd(core: ReaderCore): number {
  const { source } = core;
  for (let at = core.at; ; at++) {
    const code = codeAt(source, at);
    if (code === COLON && isBlankOrEnd(codeAt(source, at + 1))) return at;
    if (isLineEnd(code)) return -1;
    if (code === HASH && at > core.at && isBlank(source.charCodeAt(at - 1))) return -1;
  }
}

/** Reads the key that ends before the colon at `colon`, and leaves the reader after it. */
function readKey(core: ReaderCore, colon: number): { key: string; keySpan: Span } {
  const start = core.at;
  const first = core.code();
  if (first === DOUBLE_QUOTE || first === SINGLE_QUOTE) {
    const { value, span } = readQuoted(core, -1);
    core.at = colon + 1;
    return { key: String(value), keySpan: span };
  }
  const key = core.source.slice(start, colon).trimEnd();
  core.at = colon + 1;
  return { key, keySpan: { start, end: start + key.length } };
}
