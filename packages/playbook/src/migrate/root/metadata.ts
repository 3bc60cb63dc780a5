import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { entry, map } from '../tree/build.ts';
import { entryOf, replacedValue, withEntries, withEntry, without } from '../tree/edit.ts';
import type { MapTree } from '../tree/tree.ts';

/** What stood at the root and describes the playbook. */
const AT_ROOT = ['name', 'path', 'version', 'description', 'desc', 'labels', 'tags'];

const NAMES: Readonly<Record<string, string>> = { desc: 'description' };

/** What described the playbook for systems around it, and has no meaning for a run. */
const NO_MEANING: Readonly<Record<string, string>> = {
  exposes_as_mcp: 'how a playbook is offered to others is not said in it',
};

export function migrateMetadata(root: MapTree, _facts: DocumentFacts, journal: Journal): MapTree {
  return withoutForeign(gathered(root, journal), journal);
}

function gathered(root: MapTree, journal: Journal): MapTree {
  const found = root.entries.filter(({ key }) => AT_ROOT.includes(key));
  const first = found[0];
  const metadata = entryOf(root, 'metadata');
  if (first === undefined || (metadata !== undefined && metadata.value.kind !== 'map')) return root;
  const own = metadata?.value.kind === 'map' ? metadata.value : map();
  const twice = found.find(({ key }) => entryOf(own, NAMES[key] ?? key) !== undefined);
  if (twice !== undefined) {
    journal.problem(twice.at, `'${twice.key}' stands at the root and in metadata`, 'Keep the one in metadata.');
    return root;
  }
  for (const { key, at } of found) journal.note('root-metadata', at, `'${key}' stands in metadata`);
  const parts = found.map((part) =>
    NAMES[part.key] === undefined
      ? part
      : { ...part, key: NAMES[part.key] ?? part.key, head: undefined, slice: undefined },
  );
  const rest = withEntries(
    root,
    root.entries.filter((part) => !found.includes(part)),
  );
  if (metadata !== undefined) return replacedValue(rest, 'metadata', withEntries(own, [...own.entries, ...parts]));
  const after = entryOf(rest, 'kind') === undefined ? 'apiVersion' : 'kind';
  return withEntry(rest, entry('metadata', map(...parts), first.at), { after });
}

function withoutForeign(root: MapTree, journal: Journal): MapTree {
  const metadata = entryOf(root, 'metadata')?.value;
  if (metadata?.kind !== 'map') return root;
  const found = metadata.entries.filter(({ key }) => Object.hasOwn(NO_MEANING, key));
  if (found.length === 0) return root;
  for (const { key, at } of found)
    journal.note('root-removed', at, `metadata.${key} is left out: ${NO_MEANING[key]}`, { review: true });
  return replacedValue(root, 'metadata', without(metadata, ...found.map(({ key }) => key)));
}
