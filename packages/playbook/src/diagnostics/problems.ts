import { didYouMean } from '@noetl/template';
import type { Span } from '../yaml/node.ts';
import type { DiagnosticCode } from './codes.ts';
import type { Diagnostic, Severity } from './diagnostic.ts';
import { LineIndex } from './line-index.ts';

/** Nobody reads more than this, and a hostile file could make a million. */
const MAX_PROBLEMS = 1_000;
const MAX_TEXT = 2_000;
/** A longer line is shown only around its problem. */
const MAX_LINE = 400;
const LINE_MARGIN = 150;
/** Characters that may be compared in looking for nearest names, in the whole file. */
const SUGGESTION_BUDGET = 4_000_000;

/** A list, a set, or the keys of a map. */
type Names = readonly string[] | { readonly size: number; keys(): Iterable<string> };

/** Ends the reading of a file that has more errors than anyone would read. */
export class TooManyProblems extends Error {
  constructor() {
    super(`more than ${MAX_PROBLEMS} errors`);
    this.name = 'TooManyProblems';
  }
}

/** Collects the problems of one file. */
export class Problems {
  private readonly found: Diagnostic[] = [];
  private readonly file: string;
  private errors = 0;
  private warnings = 0;
  private suggestionBudget = SUGGESTION_BUDGET;
  readonly lines: LineIndex;

  constructor(file: string, source: string | LineIndex) {
    this.file = file;
    this.lines = typeof source === 'string' ? new LineIndex(source) : source;
  }

  error(code: DiagnosticCode, span: Span, message: string, hint: string): void {
    if (++this.errors > MAX_PROBLEMS) {
      const message = `more than ${MAX_PROBLEMS} errors; reading stops here`;
      this.report('error', 'NOETL_LIMIT', span, message, 'Mend those above first.');
      throw new TooManyProblems();
    }
    this.report('error', code, span, message, hint);
  }

  warn(code: DiagnosticCode, span: Span, message: string, hint: string): void {
    if (++this.warnings <= MAX_PROBLEMS) this.report('warning', code, span, message, hint);
    else if (this.warnings === MAX_PROBLEMS + 1) {
      const message = `more than ${MAX_PROBLEMS} warnings; the others are left out`;
      this.report('warning', 'NOETL_LIMIT', span, message, 'Mend those above first.');
    }
  }

  /** How many errors there are so far: who reads a part can tell whether it was right. */
  get errorCount(): number {
    return this.errors;
  }

  /** The known name that was probably meant, as a hint; undefined if none is near. */
  suggest(name: string, ...known: readonly Names[]): string | undefined {
    const candidates = known.reduce((sum, names) => sum + ('size' in names ? names.size : names.length), 0);
    this.suggestionBudget -= Math.min(candidates, 1_000) * (name.length + 8) ** 2;
    return this.suggestionBudget < 0 ? undefined : didYouMean(name, eachOf(known));
  }

  /** In the order of the file, each problem once. */
  list(): readonly Diagnostic[] {
    const seen = new Set<string>();
    return [...this.found]
      .sort((a, b) => a.line - b.line || a.column - b.column)
      .filter(({ code, line, column, message }) => {
        const key = `${code} ${line}:${column} ${message}`;
        if (seen.has(key)) return false;
        seen.add(key);
        return true;
      });
  }

  private report(severity: Severity, code: DiagnosticCode, span: Span, message: string, hint: string): void {
    const { line, column } = this.lines.place(span.start);
    const text = this.lines.line(line);
    this.found.push({
      code,
      severity,
      file: this.file,
      line,
      column,
      length: Math.max(1, Math.min(span.end - span.start, text.length - column + 1)),
      message: cut(message),
      hint: cut(hint),
      ...(text.length > MAX_LINE ? around(text, column) : { sourceLine: text }),
    });
  }
}

function* eachOf(known: readonly Names[]): Generator<string> {
  for (const names of known) yield* 'size' in names ? names.keys() : names;
}

function around(line: string, column: number): Pick<Diagnostic, 'sourceLine' | 'sourceColumn'> {
  const from = Math.max(0, column - 1 - LINE_MARGIN);
  return { sourceLine: line.slice(from, column + LINE_MARGIN), sourceColumn: column - from };
}

const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
