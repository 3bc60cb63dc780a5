import {
  type Diagnostic,
  type Migration,
  migratePlaybook,
  type Note,
  type Playbook,
  readPlaybook,
} from '@noetl/playbook';

/** A playbook of any dialect as a canonical one. */
export interface Upgrade {
  readonly migration: Migration;
  /** With the places of the author's text; undefined if something is not translated or not valid. */
  readonly playbook: Playbook | undefined;
  /** What is not translated, and what is wrong with the rest, where it stands in the author's text. */
  readonly diagnostics: readonly Diagnostic[];
}

/** MIG-2: translates a playbook and reads the translation. */
export function upgradedPlaybook(text: string, file: string): Upgrade {
  const migration = migratePlaybook(text, { file });
  const { problems, origins } = migration;
  const original = migration.text === text ? undefined : { text, origins };
  const { playbook, diagnostics } = readPlaybook(migration.text, { file, original });
  const rest = (problems.length === 0 ? diagnostics : beyond(problems, diagnostics)).map(leftOver);
  return {
    migration,
    playbook: problems.length === 0 ? playbook : undefined,
    diagnostics: [...problems, ...rest].sort((a, b) => a.line - b.line || a.column - b.column),
  };
}

/** What the author should look at: warnings, as far as a translation can have them. */
export const reviewsOf = ({ notes }: Migration): readonly Note[] => notes.filter(({ review }) => review);

/** What was left as it stood, and what would have been translated with it, is a problem already. */
function beyond(problems: readonly Diagnostic[], diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const lines = new Set(problems.map(({ line }) => line));
  return diagnostics.filter(({ hint, line }) => !hint.includes('noetl migrate') && !lines.has(line));
}

/** An older construct that no rule knows. To migrate it is no advice here. */
function leftOver(diagnostic: Diagnostic): Diagnostic {
  const advice = diagnostic.hint.replace(/(^|; )noetl migrate .*$/, '');
  const hint = advice === diagnostic.hint ? advice : advice === '' ? 'Change it by hand.' : `${advice}.`;
  return { ...diagnostic, code: diagnostic.code === 'NOETL_LEGACY' ? 'NOETL_UNTRANSLATABLE' : diagnostic.code, hint };
}
