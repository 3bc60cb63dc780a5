import type { Span } from '../yaml/node.ts';
import type { DiagnosticCode } from './codes.ts';
import type { Diagnostic, Severity } from './diagnostic.ts';
import { LineIndex } from './line-index.ts';

/** Collects the problems of one file. */
export class Problems {
  private readonly found: Diagnostic[] = [];
  private readonly file: string;
  readonly lines: LineIndex;

  constructor(file: string, source: string) {
    this.file = file;
    this.lines = new LineIndex(source);
  }

  error(code: DiagnosticCode, span: Span, message: string, hint?: string): void {
    this.report('error', code, span, message, hint);
  }

  warn(code: DiagnosticCode, span: Span, message: string, hint?: string): void {
    this.report('warning', code, span, message, hint);
  }

  get hasErrors(): boolean {
    return this.found.some((diagnostic) => diagnostic.severity === 'error');
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

  private report(
    severity: Severity,
    code: DiagnosticCode,
    span: Span,
    message: string,
    hint: string | undefined,
  ): void {
    const { line, column } = this.lines.place(span.start);
    const sourceLine = this.lines.line(line);
    const length = Math.max(1, Math.min(span.end - span.start, sourceLine.length - column + 1));
    this.found.push({ code, severity, file: this.file, line, column, length, message, hint, sourceLine });
  }
}
