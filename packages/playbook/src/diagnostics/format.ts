import type { Diagnostic } from './diagnostic.ts';

/** `etl.yaml:41:9 error NOETL_ARC_TARGET_UNKNOWN: …` with the line, a caret and what to do. */
export function formatPretty(diagnostic: Diagnostic, color: boolean): string {
  const paint = (code: number, text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const { file, line, column, severity, code, message, hint, sourceLine, sourceColumn = column, length } = diagnostic;
  const tint = severity === 'error' ? 31 : 33;
  const margin = String(line).length;
  // Long lines are cut around the problem.
  const from = Math.max(0, sourceColumn - 1 - 60);
  const shown = sourceLine.slice(from, from + 120).replaceAll('\t', ' ');
  const before = sourceColumn - 1 - from;
  const caret = ' '.repeat(before) + '^'.repeat(Math.max(1, Math.min(length, shown.length - before)));
  return [
    `${paint(1, `${file}:${line}:${column}`)} ${paint(tint, severity)} ${code}: ${message}`,
    `${paint(2, `${line} |`)} ${shown}`,
    `${paint(2, `${' '.repeat(margin)} |`)} ${paint(tint, caret)}`,
    `${paint(2, `${' '.repeat(margin)} =`)} ${hint}`,
  ].join('\n');
}

/** A workflow command that GitHub Actions shows beside the line. */
export function formatGithub({ severity, file, line, column, code, message, hint }: Diagnostic): string {
  const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::${severity} file=${property(file)},line=${line},col=${column},title=${property(code)}::${data(`${message}. ${hint}`)}`;
}

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
