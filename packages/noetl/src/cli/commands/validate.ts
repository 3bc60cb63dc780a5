import { type Diagnostic, formatGithub, formatPretty } from '@noetl/playbook';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findPlaybooks } from '../find-playbooks.ts';
import { displayName, readPlaybookFile, warnOfReviews } from '../playbook-file.ts';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';

export interface ValidateOptions {
  /** Files, folders, globs, or `-`. */
  readonly targets: readonly string[];
  readonly format: 'pretty' | 'json' | 'github';
  /** Whether warnings count as errors. */
  readonly strict: boolean;
  /** Whether older playbooks are upgraded, and read as what they become. */
  readonly legacy: boolean;
}

interface Counts {
  files: number;
  valid: number;
  errors: number;
  warnings: number;
}

/** `noetl validate`: prints the diagnostics of playbooks. One file is in memory at a time. */
export async function validate(
  { targets, format, strict, legacy }: ValidateOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const counts: Counts = { files: 0, valid: 0, errors: 0, warnings: 0 };
  const entries: string[] = [];
  for (const file of await findPlaybooks(targets, terminal)) {
    const read = await readPlaybookFile(file, terminal, legacy);
    warnOfReviews(read, file, terminal);
    const found = read.diagnostics;
    const diagnostics = strict ? found.map((diagnostic) => ({ ...diagnostic, severity: 'error' as const })) : found;
    count(counts, diagnostics);
    // Lines are printed at once; JSON only when it is complete, so that nobody reads half of it.
    if (format === 'json') entries.push(toJson(displayName(file), diagnostics));
    else for (const diagnostic of diagnostics) terminal.print(toText(diagnostic, format, terminal));
  }
  if (format === 'json') terminal.print(`[${entries.join(',\n ')}]\n`);
  if (format === 'pretty') terminal.print(`${summary(counts)}\n`);
  return counts.errors > 0 ? EXIT.invalid : EXIT.ok;
}

function count(counts: Counts, diagnostics: readonly Diagnostic[]): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  counts.files += 1;
  counts.valid += errors === 0 ? 1 : 0;
  counts.errors += errors;
  counts.warnings += diagnostics.length - errors;
}

function toText(diagnostic: Diagnostic, format: 'pretty' | 'github', terminal: Terminal): string {
  if (format === 'github') return `${formatGithub(diagnostic)}\n`;
  return `${formatPretty(printable(diagnostic), terminal.color)}\n\n`;
}

function toJson(file: string, diagnostics: readonly Diagnostic[]): string {
  return JSON.stringify({
    file,
    diagnostics: diagnostics.map(({ code, severity, line, column, message, hint }) => ({
      code,
      severity,
      line,
      column,
      message,
      hint,
    })),
  });
}

/** `3 files: 2 valid, 1 invalid; 2 errors, 1 warning` */
function summary({ files, valid, errors, warnings }: Counts): string {
  const things = (n: number, thing: string) => `${n} ${thing}${n === 1 ? '' : 's'}`;
  const invalid = files - valid;
  const verdict = [valid > 0 && `${valid} valid`, invalid > 0 && `${invalid} invalid`];
  const found = [errors > 0 && things(errors, 'error'), warnings > 0 && things(warnings, 'warning')];
  const parts = [verdict, found].map((texts) => texts.filter(Boolean).join(', ')).filter((text) => text !== '');
  return `${things(files, 'file')}: ${parts.join('; ')}`;
}
