import type { Journal } from '../journal.ts';
import { entry, item, list, map, scalar } from '../tree/build.ts';
import { entryOf, fieldOf, replacedValue, revalued, withEntries, withEntry, withItems } from '../tree/edit.ts';
import type { EntryTree, ItemTree, MapTree, Tree } from '../tree/tree.ts';
import { type AskedCredential, askedCredentials } from './asked-credentials.ts';

/** Declares in the keychain what tasks ask for; a task that asks for what the workload names asks for its entry. */
export function declareCredentials(root: MapTree, journal: Journal): MapTree {
  const asked = askedCredentials(root);
  if (asked.length === 0) return root;
  const byName = new Map<string, AskedCredential[]>();
  for (const credential of asked) byName.set(credential.name, [...(byName.get(credential.name) ?? []), credential]);
  const named = new Map(asked.flatMap(({ auth, name, key }) => (key === undefined ? [] : [[auth, name] as const])));
  const renamed = named.size === 0 ? root : withAuth(root, named);
  const declarations = [...byName.values()].map((members) => declaration(members, journal));
  return withDeclarations(renamed, declarations);
}

/** As the first task that asks for it needs it; of tasks of several kinds, as it is kept. */
function declaration(members: readonly AskedCredential[], journal: Journal): ItemTree {
  const [first] = members;
  if (first === undefined) throw new Error('a credential that nobody asks for');
  const { auth, name, key } = first;
  const kinds = new Set(members.map(({ kind }) => (kind === 'postgres' ? 'postgres_credential' : 'credential')));
  const kind = kinds.size === 1 ? ([...kinds][0] ?? '') : 'credential';
  const which = key === undefined ? [] : [entry('credential', `{{ workload.${key} }}`, auth.at)];
  journal.note(
    'credential-declared',
    auth.at,
    `the keychain declares '${name}'${key === undefined ? '' : `, which is what workload.${key} names`}: keep it with 'noetl credential set'`,
    { review: true },
  );
  return item(map(entry('name', name, auth.at), entry('kind', kind, auth.at), ...which), auth.at);
}

/** The document with more entries of its keychain. */
export function withDeclarations(root: MapTree, declarations: readonly ItemTree[]): MapTree {
  if (declarations.length === 0) return root;
  const present = fieldOf(root, 'keychain');
  if (present?.kind === 'list' && present.items.length > 0)
    return replacedValue(root, 'keychain', withItems(present, [...present.items, ...declarations]));
  const at = declarations[0]?.at ?? 0;
  if (entryOf(root, 'keychain') !== undefined) return replacedValue(root, 'keychain', list(...declarations));
  return withEntry(root, spaced(entry('keychain', list(...declarations), at), root), { after: 'metadata' });
}

/** With a blank line above, where sections of the document have one. */
function spaced(part: EntryTree, root: MapTree): EntryTree {
  const after = root.entries[root.entries.findIndex(({ key }) => key === 'metadata') + 1];
  const blank = after?.above.lines.some((line) => line.trim() === '') ?? false;
  return blank ? { ...part, above: { lines: [''], column: 0 } } : part;
}

/** The document with other values of `auth`. */
function withAuth(root: MapTree, named: ReadonlyMap<EntryTree, string>): MapTree {
  const changed = (tree: Tree): Tree => {
    if (tree.kind === 'scalar') return tree;
    if (tree.kind === 'list') {
      const items = tree.items.map((part) => revalued(part, changed(part.value)));
      return items.every((part, i) => part === tree.items[i]) ? tree : withItems(tree, items);
    }
    const entries = tree.entries.map((part) => {
      const name = named.get(part);
      return revalued(part, name === undefined ? changed(part.value) : scalar(name));
    });
    return entries.every((part, i) => part === tree.entries[i]) ? tree : withEntries(tree, entries);
  };
  const result = changed(root);
  return result.kind === 'map' ? result : root;
}
