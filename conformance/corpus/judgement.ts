import { type Diagnostic, type Migration, migratePlaybook, readPlaybook } from '@noetl/playbook';
import type { CorpusPlaybook } from './corpus-playbook.ts';

/** What migration makes of a playbook. */
export interface Judgement {
  readonly playbook: CorpusPlaybook;
  readonly dialect: string;
  readonly migration: Migration;
  readonly end: MigrationEnd;
  /** The errors of the migrated text. */
  readonly errors: readonly Diagnostic[];
}

/**
 * - unreadable: no YAML mapping, so nothing can be said of it;
 * - clean: canonical as it is;
 * - noted: translated, every change with its reason;
 * - to review: translated, but the author should look at some of it;
 * - refused: something has no faithful translation.
 */
export const MIGRATION_ENDS = ['unreadable', 'clean', 'noted', 'to review', 'refused'] as const;
type MigrationEnd = (typeof MIGRATION_ENDS)[number];

export function judged(playbook: CorpusPlaybook): Judgement {
  const migration = migratePlaybook(playbook.text, { file: playbook.name });
  const { diagnostics } = readPlaybook(migration.text, { file: playbook.name });
  const found = migration.dialects.map(({ dialect }) => dialect).join('+');
  return {
    playbook,
    dialect: playbook.listed?.dialect ?? (found || 'v10'),
    migration,
    end: endOf(migration),
    errors: diagnostics.filter(({ severity }) => severity === 'error'),
  };
}

/** Problems of translation have a code of their own; the others are those of YAML. */
function endOf({ problems, notes }: Migration): MigrationEnd {
  if (problems.some(({ code }) => code === 'NOETL_UNTRANSLATABLE')) return 'refused';
  if (problems.length > 0) return 'unreadable';
  if (notes.length === 0) return 'clean';
  return notes.some(({ review }) => review) ? 'to review' : 'noted';
}
