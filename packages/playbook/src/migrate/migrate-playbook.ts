import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { readPlaybook } from '../read-playbook.ts';
import { YAML_LIMITS } from '../yaml/limits.ts';
import { bytesOf, readYaml } from '../yaml/read-yaml.ts';
import { migrateBody } from './body/migrate-body.ts';
import { declareCredentials } from './credentials/declare-credentials.ts';
import { detectDialects } from './detect.ts';
import { documentFacts } from './document-facts.ts';
import { withSingleKeys } from './duplicate-keys.ts';
import { migrateFlow } from './flow/migrate-flow.ts';
import { migrateWorkflow } from './flow/migrate-workflow.ts';
import { Journal } from './journal.ts';
import type { DialectFound, Migration, Origins } from './migration.ts';
import { reportLeftNames } from './names/left-names.ts';
import { migrateRoot } from './root/migrate-root.ts';
import { renameShadowedSteps } from './shadowed-steps.ts';
import { item } from './tree/build.ts';
import { fieldOf, replacedValue, revalued, withItems } from './tree/edit.ts';
import { grow } from './tree/grow.ts';
import { withLostComments } from './tree/lost-comments.ts';
import { print } from './tree/print.ts';
import type { ItemTree, MapTree } from './tree/tree.ts';

export interface MigrateOptions {
  /** The name of the file in diagnostics. */
  readonly file: string;
}

/** MIG-1: a playbook of any dialect as a canonical one. What is canonical already is returned byte for byte. */
export function migratePlaybook(text: string, { file }: MigrateOptions): Migration {
  const written = withoutMarks(text);
  const { source, left } = withSingleKeys(written) ?? { source: written, left: [] };
  const yaml = readYaml(source);
  if ('error' in yaml || yaml.node.kind !== 'map') return unchanged(text, [], unreadable(source, file));
  const journal = new Journal(file, source);
  for (const { line, key } of left)
    journal.note('key-twice', offsetOf(source, line), `'${key}' stands there twice: the first becomes a comment`, {
      review: true,
    });
  const grown = grow(source, yaml.node);
  if (grown === undefined) {
    if (readPlaybook(source, { file }).playbook !== undefined) return unchanged(text, [], []);
    journal.problem(
      0,
      'the document uses anchors (&name) and aliases (*name), which one text for several values cannot be rewritten with',
      'Write the values out where the aliases stand, then migrate.',
    );
    return unchanged(text, [], journal.problems());
  }
  const dialects = detectDialects(grown.root, source);
  const root = migrateDocument(grown.root, dialects, journal);
  if (root === grown.root && left.length === 0) return unchanged(text, dialects, journal.problems());
  const printed = print(withLostComments(grown.root, root), grown.document);
  if (bytesOf(printed.text) > YAML_LIMITS.size) {
    journal.problem(
      0,
      'the canonical form has more than 1 MiB, the limit of a playbook',
      'Move large data into files, or parts of the workflow into playbooks of their own.',
    );
    return unchanged(text, dialects, journal.problems());
  }
  return {
    text: withMarksOf(text, printed.text),
    dialects,
    notes: journal.notes(),
    problems: journal.problems(),
    origins: printed.origins,
  };
}

/** The root, then every step by itself, then what depends on the whole workflow. */
function migrateDocument(written: MapTree, dialects: readonly DialectFound[], journal: Journal): MapTree {
  const root = renameShadowedSteps(written, journal);
  const facts = documentFacts(root, dialects);
  const rooted = migrateRoot(root, facts, journal);
  const workflow = fieldOf(rooted, 'workflow');
  if (workflow?.kind !== 'list') return rooted;
  const items = workflow.items.flatMap((part): readonly ItemTree[] => {
    if (part.value.kind !== 'map') return [part];
    const [step, ...inserted] = migrateFlow(migrateBody(part.value, facts, journal), facts, journal);
    return [revalued(part, step ?? part.value), ...inserted.map((after) => item(after, part.at))];
  });
  const same = items.length === workflow.items.length && items.every((part, i) => part === workflow.items[i]);
  const migrated = same ? rooted : replacedValue(rooted, 'workflow', withItems(workflow, items));
  const whole = migrateWorkflow(migrated, facts, journal);
  reportLeftNames(whole, facts, journal);
  return declareCredentials(whole, journal);
}

const unchanged = (text: string, dialects: readonly DialectFound[], problems: readonly Diagnostic[]): Migration => ({
  text,
  dialects,
  notes: [],
  problems,
  origins: text.split('\n').map((_, i) => ({ line: i + 1, shift: 0, column: 1 })) satisfies Origins,
});

/** What keeps a text from being read at all. */
function unreadable(source: string, file: string): readonly Diagnostic[] {
  const { diagnostics } = readPlaybook(source, { file });
  const ofTheText = diagnostics.filter(({ code }) => code.startsWith('NOETL_YAML'));
  return ofTheText.length > 0 ? ofTheText : diagnostics;
}

/** Where a line begins, from 0, behind its indent. */
function offsetOf(text: string, line: number): number {
  const before = text.split('\n').slice(0, line).join('\n').length + (line === 0 ? 0 : 1);
  return before + Math.max(0, text.slice(before).search(/\S/));
}

const BYTE_ORDER_MARK = '\ufeff';

/** The text with lines that end in one character and without a byte order mark, as rules see it. */
const withoutMarks = (text: string): string =>
  (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text).replaceAll('\r\n', '\n');

const withMarksOf = (original: string, text: string): string =>
  (original.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '') +
  (original.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text);
