import { tasksOf } from '../body/pipeline.ts';
import { entryOf, fieldOf, textOf } from '../tree/edit.ts';
import type { EntryTree, MapTree, Tree } from '../tree/tree.ts';

/** A credential that a task asks for by name, which no entry of the keychain declares. */
export interface AskedCredential {
  /** The `auth` of the task. */
  readonly auth: EntryTree;
  /** The name that the keychain is to have. */
  readonly name: string;
  /** The key of the workload that tells which it is, where a template asks for it. */
  readonly key: string | undefined;
  /** The kind of the task. */
  readonly kind: string;
}

/**
 * Older engines looked any name up where credentials are kept. `{{ workload.key }}` and `{{ key }}` name what the workload
 * says; of other templates nothing can be said.
 */
export function askedCredentials(root: MapTree): readonly AskedCredential[] {
  const declared = declaredNames(root);
  const workload = fieldOf(root, 'workload');
  const keyOf = (text: string): string | undefined => {
    const key = /^\{\{\s*(?:workload\.)?([A-Za-z_]\w*)\s*\}\}$/.exec(text)?.[1];
    return key !== undefined && workload?.kind === 'map' && entryOf(workload, key) !== undefined ? key : undefined;
  };
  return tasksBelow(root).flatMap((task): readonly AskedCredential[] => {
    const auth = entryOf(task, 'auth');
    const text = textOf(auth?.value);
    if (auth === undefined || text === undefined || text === '') return [];
    const kind = textOf(fieldOf(task, 'kind')) ?? '';
    if (!text.includes('{')) return declared.has(text) ? [] : [{ auth, name: text, key: undefined, kind }];
    const key = keyOf(text);
    const usual = key === undefined || workload?.kind !== 'map' ? undefined : textOf(fieldOf(workload, key));
    // The workload chooses among those that are declared.
    if (key === undefined || usual === undefined || declared.has(usual)) return [];
    return [{ auth, name: declared.has(key) ? `${key}_credential` : key, key, kind }];
  });
}

function declaredNames(root: MapTree): ReadonlySet<string> {
  const keychain = fieldOf(root, 'keychain');
  const entries = keychain?.kind === 'list' ? keychain.items.map(({ value }) => value) : [];
  return new Set(entries.flatMap((entry) => (entry.kind === 'map' ? (textOf(fieldOf(entry, 'name')) ?? []) : [])));
}

/** The tasks of steps and of the workbook. */
function tasksBelow(root: MapTree): readonly MapTree[] {
  const steps = membersOf(fieldOf(root, 'workflow')).flatMap((step) => tasksOf(step).map(({ body }) => body));
  return [...steps, ...membersOf(fieldOf(root, 'workbook'))];
}

function membersOf(tree: Tree | undefined): readonly MapTree[] {
  if (tree === undefined || tree.kind === 'scalar') return [];
  const values = tree.kind === 'list' ? tree.items : tree.entries;
  return values.flatMap(({ value }) => (value.kind === 'map' ? [value] : []));
}
