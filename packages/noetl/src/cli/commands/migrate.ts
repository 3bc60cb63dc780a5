import { type Diagnostic, formatPretty } from '@noetl/playbook';
import { CommandFailure } from '../command-failure.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findPlaybooks } from '../find-playbooks.ts';
import { displayName, readPlaybookText } from '../playbook-file.ts';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import { reviewsOf, type Upgrade, upgradedPlaybook } from '../upgraded-playbook.ts';
import { dialectLines, type MigrationCounts, migrationSummary, noteText } from '../views/migration.ts';
import { unifiedDiff } from '../views/unified-diff.ts';
import { visible } from '../views/visible.ts';

export interface MigrateOptions {
  /** Files, folders, globs, or `-`. */
  readonly targets: readonly string[];
  readonly mode: 'diff' | 'write' | 'check';
  readonly json: boolean;
}

interface Migrated extends Upgrade {
  readonly file: string;
  readonly before: string;
  readonly changed: boolean;
  /** What keeps the file from being written. */
  readonly problems: readonly Diagnostic[];
}

/** MIG-1: `noetl migrate`. One file is in memory at a time. */
export async function migrate({ targets, mode, json }: MigrateOptions, terminal: Terminal): Promise<ExitCode> {
  const counts = { files: 0, changed: 0, unchanged: 0, refused: 0, notes: 0, reviews: 0, problems: 0 };
  const entries: string[] = [];
  for (const file of await findPlaybooks(targets, terminal)) {
    const migrated = migratedFile(file, await readPlaybookText(file, terminal, { keepMark: true }));
    count(counts, migrated);
    if (json) entries.push(toJson(migrated));
    else explain(migrated, terminal);
    if (mode === 'write') await write(migrated, json, terminal);
    if (!json) show(migrated, mode, terminal);
  }
  if (json) terminal.print(`[${entries.join(',\n ')}]\n`);
  else terminal.complain(migrationSummary(counts, mode === 'write' ? 'migrated' : 'to change'));
  const wanting = counts.refused > 0 || (mode === 'check' && counts.changed > 0);
  return wanting ? EXIT.invalid : EXIT.ok;
}

function migratedFile(file: string, before: string): Migrated {
  const upgrade = upgradedPlaybook(before, displayName(file));
  const problems = upgrade.diagnostics.filter(({ severity }) => severity === 'error');
  return { ...upgrade, file, before, changed: upgrade.migration.text !== before, problems };
}

function count(counts: { -readonly [Key in keyof MigrationCounts]: number }, migrated: Migrated): void {
  const { migration, changed, problems } = migrated;
  counts.files += 1;
  counts[problems.length > 0 ? 'refused' : changed ? 'changed' : 'unchanged'] += 1;
  counts.notes += migration.notes.length;
  counts.reviews += reviewsOf(migration).length;
  counts.problems += problems.length;
}

/** Which dialects it was, what was done, and what could not be. */
function explain({ file, migration, changed, problems }: Migrated, terminal: Terminal): void {
  const color = terminal.watchedInColor;
  const name = displayName(file);
  if (changed) terminal.complain(dialectLines(name, migration.dialects, color));
  for (const note of migration.notes) terminal.complain(noteText(name, note, color));
  for (const problem of problems) terminal.complain(`${formatPretty(printable(problem), color)}\n\n`);
}

/** A file with a problem stays as it is: half a translation is no playbook of any dialect. */
async function write(
  { file, migration, changed, problems }: Migrated,
  json: boolean,
  terminal: Terminal,
): Promise<void> {
  if (problems.length > 0) return;
  if (file === '-') {
    if (!json) terminal.print(migration.text);
    return;
  }
  if (!changed) return;
  try {
    await terminal.save(file, only(migration.text));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailure(EXIT.failed, `error: cannot write ${visible(file)}: ${reason}`, { cause: error });
  }
}

async function* only(text: string): AsyncGenerator<string> {
  yield text;
}

function show(
  { file, before, migration, changed, problems }: Migrated,
  mode: MigrateOptions['mode'],
  terminal: Terminal,
): void {
  if (!changed) return;
  const name = displayName(file);
  if (mode === 'diff') terminal.print(unifiedDiff(name, before, migration.text, terminal.color));
  else if (problems.length > 0) return;
  else if (mode === 'check') terminal.print(`would change ${visible(name)}\n`);
  else if (file !== '-') terminal.print(`migrated ${visible(name)}\n`);
}

function toJson({ file, migration, changed, problems }: Migrated): string {
  const { dialects, notes, text } = migration;
  return JSON.stringify({
    file: displayName(file),
    dialects,
    changed,
    notes,
    problems: problems.map(({ code, severity, line, column, message, hint }) => {
      return { code, severity, line, column, message, hint };
    }),
    text,
  });
}
