import { YAML_LIMITS } from './limits.ts';
import type { ScalarNode, Span, YamlNode } from './node.ts';
import { Scalar } from './scalar.ts';
import { YamlError, type YamlErrorCode } from './yaml-error.ts';

const BYTE_ORDER_MARK = 0xfeff;
const MAX_NOTED = 100;
const ONE_ANCHOR = 'Keep one of them.';
const REPEAT_LESS = 'Keep a long text once, in workload or a task of the workbook, and read it from there.';

export const SPACE = 32;
const TAB = 9;
export const NEWLINE = 10;
export const RETURN = 13;
export const HASH = 35;
export const COLON = 58;
export const DASH = 45;

/** What stands after the last character. A number like all others: the NaN of charCodeAt would slow every loop down. */
export const END = -1;
export const codeAt = (source: string, at: number): number => (at < source.length ? source.charCodeAt(at) : END);

export const isBlank = (code: number): boolean => code === SPACE || code === TAB;
/** The end of a line or of the text. */
export const isLineEnd = (code: number): boolean => code === NEWLINE || code === RETURN || code === END;
export const isBlankOrEnd = (code: number): boolean => isBlank(code) || isLineEnd(code);

/** A value that aliases can repeat, and what each repetition costs. */
interface Anchor {
  readonly node: YamlNode;
  readonly size: number;
  readonly characters: number;
  readonly levels: number;
}

/** Where the reader is in the text, and what it may still use. Block and flow readers share it. */
export class ReaderCore {
  readonly source: string;
  /** Where the text starts: after a byte order mark, if there is one. */
  private readonly origin: number;
  private readonly anchors = new Map<string, Anchor>();
  private readonly marked = new Set<YamlNode>();
  /** Problems that reading can go on after. */
  readonly noted: YamlError[] = [];
  private depth = 0;
  /** The deepest level so far, or since the anchor that is being read. */
  private deepest = 0;
  private nodes = 0;
  /** Characters behind aliases so far: looking at a value costs as much at every use as where it is written. */
  private repeated = 0;
  at: number;

  constructor(source: string) {
    this.source = source;
    this.origin = source.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
    this.at = this.origin;
  }

  code(offset = 0): number {
    return codeAt(this.source, this.at + offset);
  }

  lineStart(at = this.at): number {
    return at === 0 ? 0 : Math.max(this.source.lastIndexOf('\n', at - 1) + 1, this.origin);
  }

  lineEnd(at = this.at): number {
    const end = this.source.indexOf('\n', at);
    if (end < 0) return this.source.length;
    return end > at && this.source.charCodeAt(end - 1) === RETURN ? end - 1 : end;
  }

  column(at = this.at): number {
    return at - this.lineStart(at);
  }

  /** The spaces that the line starts with whose first content is here. */
  indentation(): number {
    let start = this.at;
    while (start > this.origin && this.source.charCodeAt(start - 1) !== NEWLINE) start--;
    let at = start;
    while (at < this.at && this.source.charCodeAt(at) === SPACE) at++;
    return at - start;
  }

  skipBlanks(): void {
    while (this.at < this.source.length && isBlank(this.source.charCodeAt(this.at))) this.at++;
  }

  /** Whether a comment starts here: `#` at the start of a line or after a blank. */
  atComment(): boolean {
    return this.code() === HASH && (this.at === this.origin || isBlankOrEnd(this.source.charCodeAt(this.at - 1)));
  }

  atLineEnd(): boolean {
    return isLineEnd(this.code()) || this.atComment();
  }

  /** Goes on to the next content, over blank lines and comments. Gives its column, or -1 at the end. */
  skipToContent(): number {
    for (;;) {
      this.skipBlanks();
      if (this.atComment()) this.at = this.lineEnd();
      const code = this.code();
      if (code === END) return -1;
      if (code !== NEWLINE && code !== RETURN) break;
      this.at++;
    }
    // Only blanks were passed since the start of the line, unless the content goes on where a value ended.
    let start = this.at;
    let tab = -1;
    while (start > this.origin && isBlank(this.source.charCodeAt(start - 1)))
      if (this.source.charCodeAt(--start) === TAB) tab = start;
    const startsLine = start === this.origin || this.source.charCodeAt(start - 1) === NEWLINE;
    if (tab >= 0 && startsLine) {
      throw this.error('a tab indents this line', { start: tab, end: tab + 1 }, 'Indent with spaces.');
    }
    return startsLine ? this.at - start : this.column();
  }

  /** After a value: nothing but a comment may follow on its line. */
  expectLineEnd(): void {
    this.skipBlanks();
    if (this.atLineEnd()) return;
    const rest = this.source.slice(this.at, this.lineEnd());
    throw this.error(
      `unexpected '${shorten(rest)}' after the value`,
      { start: this.at, end: this.lineEnd() },
      'If it belongs to the value, quote the whole value.',
    );
  }

  /** Runs `read` one level deeper. */
  nested<T>(read: () => T): T {
    this.depth++;
    this.reach(this.depth);
    const result = read();
    this.depth--;
    return result;
  }

  private reach(depth: number): void {
    if (depth > YAML_LIMITS.depth) {
      const message = `more than ${YAML_LIMITS.depth} levels of nesting`;
      throw this.fail('NOETL_YAML_LIMIT', message, this.here(), 'Nest less, or move the data into a file.');
    }
    this.deepest = Math.max(this.deepest, depth);
  }

  countNodes(count = 1): void {
    this.nodes += count;
    if (this.nodes > YAML_LIMITS.nodes) {
      throw this.fail(
        'NOETL_YAML_LIMIT',
        `more than ${YAML_LIMITS.nodes} values, aliases counted at every use`,
        this.here(),
        'Move large data into files or a database.',
      );
    }
  }

  private countRepeated(characters: number): void {
    this.repeated += characters;
    if (this.repeated > YAML_LIMITS.repeated) {
      throw this.fail('NOETL_YAML_LIMIT', 'aliases repeat more than 1 MiB of text', this.here(), REPEAT_LESS);
    }
  }

  /** Reads `&name` and remembers the node that `read` gives under it. */
  anchored(read: () => YamlNode): YamlNode {
    const name = this.name();
    const { nodes, repeated, deepest, depth, at } = this;
    this.deepest = depth;
    this.skipBlanks();
    const second = this.here();
    if (this.source[this.at] === '&') throw this.error('a value cannot have two anchors', second, ONE_ANCHOR);
    const node = this.nested(read);
    if (this.marked.has(node))
      throw this.error('a value cannot have two anchors, nor an alias one', second, ONE_ANCHOR);
    this.marked.add(node);
    this.anchors.set(name, {
      node,
      size: this.nodes - nodes,
      characters: this.at - at + (this.repeated - repeated),
      levels: this.deepest - depth,
    });
    this.deepest = Math.max(this.deepest, deepest);
    return node;
  }

  /** Reads `*name`. */
  alias(): YamlNode {
    const start = this.at;
    const name = this.name();
    const anchor = this.anchors.get(name);
    if (anchor === undefined) {
      throw this.error(
        `the alias '*${name}' has no anchor before it`,
        { start, end: this.at },
        `Mark a value before it with &${name}, or quote the text.`,
      );
    }
    this.countNodes(anchor.size);
    this.countRepeated(anchor.characters);
    this.reach(this.depth + anchor.levels);
    return anchor.node;
  }

  private name(): string {
    const start = ++this.at;
    while (!isBlankOrEnd(this.code()) && !',[]{}'.includes(this.source[this.at] ?? '')) this.at++;
    if (this.at === start)
      throw this.error('a name is missing here', { start: start - 1, end: start }, 'Quote the value if it is text.');
    return this.source.slice(start, this.at);
  }

  nullNode(at: number): ScalarNode {
    this.countNodes();
    return new Scalar({ start: at, end: at }, null, 'plain', at);
  }

  /** Reports a problem and goes on; too many of them end the reading. */
  note(error: YamlError): void {
    this.noted.push(error);
    if (this.noted.length >= MAX_NOTED) throw error;
  }

  here(): Span {
    return { start: this.at, end: Math.min(this.at + 1, this.source.length) };
  }

  error(message: string, span: Span, hint: string): YamlError {
    return this.fail('NOETL_YAML_SYNTAX', message, span, hint);
  }

  fail(code: YamlErrorCode, message: string, span: Span, hint: string): YamlError {
    return new YamlError(code, span, message, hint);
  }
}

export const shorten = (text: string): string => (text.length > 30 ? `${text.slice(0, 30)}…` : text);
