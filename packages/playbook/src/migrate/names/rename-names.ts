import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { scalar } from '../tree/build.ts';
import { mapItems, mapScalars, revalued, textOf, withEntries } from '../tree/edit.ts';
import { respelled } from '../tree/respell.ts';
import type { ScalarTree, Tree } from '../tree/tree.ts';
import { simplified } from './condition.ts';
import { isOlder } from './is-older.ts';
import { meaningAt } from './meaning.ts';
import { parsedTemplate } from './parsed-template.ts';
import { type RewrittenTemplate, rewriteTemplate } from './rewrite-template.ts';
import type { Site } from './site.ts';
import type { Use } from './use.ts';

/** Older names in every template below, as they are called now; the same tree if nothing changed. */
export function renameNames(tree: Tree, site: Site, facts: DocumentFacts, journal: Journal, at = 0): Tree {
  if (tree.kind === 'scalar')
    return renamedScalar(tree, at, site, facts, journal, site.at === 'loop' ? 'list' : 'value');
  if (tree.kind === 'list') return mapItems(tree, (value, item) => renameNames(value, site, facts, journal, item.at));
  const inside = (key: string): Site => (site.at === 'root' ? { ...site, key } : site);
  const entries = tree.entries.map((part) =>
    VERBATIM.has(part.key) ? part : revalued(part, renameNames(part.value, inside(part.key), facts, journal, part.at)),
  );
  return entries.every((part, i) => part === tree.entries[i]) ? tree : withEntries(tree, entries);
}

/** Code is never a template (TOOL-4). */
const VERBATIM: ReadonlySet<string> = new Set(['code']);

/** The same for one condition, without parts that say nothing any more. */
export function renamedCondition(tree: Tree, site: Site, facts: DocumentFacts, journal: Journal, at = 0): Tree {
  return mapScalars(
    tree,
    (condition, place) => {
      const named = renamedScalar(condition, place, site, facts, journal, 'truth');
      const text = textOf(named);
      const simple = named === condition || text === undefined ? undefined : simplified(text);
      return simple === undefined || simple === text ? named : scalar(simple);
    },
    at,
  );
}

/** The same for text that is not in the document. */
export function renamedText(text: string, at: number, site: Site, facts: DocumentFacts, journal: Journal): string {
  const rewritten = rewrittenAt(text, site, facts, 'value');
  report(rewritten, at, journal);
  return rewritten.text;
}

function renamedScalar(
  tree: ScalarTree,
  at: number,
  site: Site,
  facts: DocumentFacts,
  journal: Journal,
  use: Use,
): ScalarTree {
  const text = textOf(tree);
  if (text === undefined || !(text.includes('{{') || text.includes('{%'))) return tree;
  const rewritten = rewrittenAt(text, site, facts, use);
  report(rewritten, at, journal);
  return respelled(tree, rewritten.edits);
}

function rewrittenAt(text: string, site: Site, facts: DocumentFacts, use: Use): RewrittenTemplate {
  const template = parsedTemplate(text);
  // A template that is none is the reader's to report.
  if ('message' in template || !isOlder(facts)) return { text, edits: [], changes: [], problem: undefined };
  return rewriteTemplate(text, meaningAt(site, facts, template), use);
}

function report({ changes, problem }: RewrittenTemplate, at: number, journal: Journal): void {
  if (problem !== undefined) journal.problem(at, problem.message, problem.hint);
  for (const { rule, from, to, review } of changes) {
    const became = from === to ? `'${from}' stays` : `'${from}' becomes '${to}'`;
    journal.note(rule, at, review === undefined ? became : `${became}: ${review}`, { review: review !== undefined });
  }
}
