import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { Problems } from '../diagnostics/problems.ts';
import { describe } from '../reading/reading.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import { Journal } from './journal.ts';
import type { Migration, Origins } from './migration.ts';
import { grow } from './tree/grow.ts';
import { print } from './tree/print.ts';
import type { MapTree } from './tree/tree.ts';

export interface MigrateOptions {
  /** The name of the file in diagnostics. */
  readonly file: string;
}

/** MIG-1: a playbook of any dialect as a canonical one. What is canonical already is returned byte for byte. */
export function migratePlaybook(text: string, { file }: MigrateOptions): Migration {
  const source = withoutMarks(text);
  const yaml = readYaml(source);
  if ('error' in yaml || yaml.node.kind !== 'map') return unchanged(text, unreadable(source, file));
  const journal = new Journal(file, source);
  const grown = grow(source, yaml.node);
  if (grown === undefined) {
    journal.problem(
      0,
      'the document uses anchors (&name) and aliases (*name), which one text for several values cannot be rewritten with',
      'Write the values out where the aliases stand, then migrate.',
    );
    return unchanged(text, journal.problems());
  }
  const root = migrateRoot(grown.root);
  if (root === grown.root) return unchanged(text, journal.problems());
  const printed = print(root, grown.document);
  return {
    text: withMarksOf(text, printed.text),
    dialects: [],
    notes: journal.notes(),
    problems: journal.problems(),
    origins: printed.origins,
  };
}

const migrateRoot = (root: MapTree): MapTree => root;

const unchanged = (text: string, problems: readonly Diagnostic[]): Migration => ({
  text,
  dialects: [],
  notes: [],
  problems,
  origins: text.split('\n').map((_, i) => ({ line: i + 1, shift: 0, column: 1 })) satisfies Origins,
});

function unreadable(source: string, file: string): readonly Diagnostic[] {
  const problems = new Problems(file, source);
  const yaml = readYaml(source);
  if ('error' in yaml) {
    for (const { code, span, message, hint } of yaml.errors) problems.error(code, span, message, hint);
  } else {
    problems.error(
      'NOETL_TYPE',
      yaml.node.span,
      `the document is ${describe(yaml.node)}, expected a playbook`,
      'A playbook starts with apiVersion, kind, metadata and workflow.',
    );
  }
  return problems.list();
}

const BYTE_ORDER_MARK = '\ufeff';

/** The text with lines that end in one character and without a byte order mark, as rules see it. */
const withoutMarks = (text: string): string =>
  (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).replaceAll('\r\n', '\n');

const withMarksOf = (original: string, text: string): string =>
  (original.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '') +
  (original.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text);
