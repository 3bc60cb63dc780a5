import { entryOf, fieldOf, replacedValue, textOf } from '../tree/edit.ts';
import type { EntryTree, MapTree, Tree } from '../tree/tree.ts';
import type { TaskRule } from './task-rule.ts';

const DECLARE = 'Declare it in the keychain, and name the entry: auth: name.';

/** Credentials that were described where they are used: now they are named. */
export const migrateAuth: TaskRule = (task, { kind, journal }) => {
  const auth = entryOf(task, 'auth');
  if (auth === undefined || auth.value.kind !== 'map' || auth.value.entries.length === 0) return task;
  const name = namedCredential(auth.value);
  if (name !== undefined) {
    journal.note('auth-name', auth.at, "'auth' becomes the name of the credential");
    return replacedValue(task, 'auth', name.value);
  }
  const problem = problemOf(auth.value, kind);
  if (problem !== undefined) journal.problem(auth.at, ...problem);
  return task;
};

/** `{ source: credential, tool: postgres, key: NAME }` or `{ type: postgres, credential: NAME }`. */
function namedCredential(auth: MapTree): EntryTree | undefined {
  if (textOf(fieldOf(auth, 'source')) === 'credential') return entryOf(auth, 'key');
  const named = entryOf(auth, 'credential');
  return textOf(named?.value) === undefined ? undefined : named;
}

function problemOf(auth: MapTree, kind: string): readonly [string, string] | undefined {
  const source = textOf(fieldOf(auth, 'source'));
  if (source !== undefined) return [`'auth' takes the credential from '${source}'`, DECLARE];
  if (!auth.entries.every(({ value }) => isDescription(value))) return undefined;
  return kind === 'duckdb'
    ? [
        "'auth' makes secrets for DuckDB, which the task does not",
        "Make them with SQL: CREATE SECRET name (TYPE postgres, HOST '{{ keychain.db.host }}', …).",
      ]
    : ["'auth' describes credentials where they are used", DECLARE];
}

/** A credential under a name of its own: `{ pg: { source: credential, key: NAME } }`. */
const isDescription = (tree: Tree): boolean =>
  tree.kind === 'map' &&
  tree.entries.some(({ key }) => ['source', 'provider', 'type', 'key', 'credential'].includes(key));
