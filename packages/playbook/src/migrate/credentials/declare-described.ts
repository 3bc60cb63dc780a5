import type { Journal } from '../journal.ts';
import { rewriteTemplate } from '../names/rewrite-template.ts';
import { entry, item, map, scalar } from '../tree/build.ts';
import {
  entryOf,
  fieldOf,
  mapItems,
  mapScalars,
  replacedValue,
  revalued,
  textOf,
  withEntries,
  without,
} from '../tree/edit.ts';
import { respelled, withLineAbove } from '../tree/respell.ts';
import type { ItemTree, MapTree, Tree } from '../tree/tree.ts';
import { withDeclarations } from './declare-credentials.ts';
import { type DescribedCredential, describedCredentials } from './described-credential.ts';

/**
 * Credentials that tasks describe where they use them are declared in the keychain. A task of kind http names its entry;
 * for DuckDB, which had a secret of that name, a statement makes it.
 */
export function declareDescribed(root: MapTree, journal: Journal): MapTree {
  const workflow = fieldOf(root, 'workflow');
  if (workflow?.kind !== 'list') return root;
  const declared = new Map<string, ItemTree>();
  const changed = visited(workflow, (task) => {
    const auth = entryOf(task, 'auth');
    const credentials = auth?.value.kind === 'map' ? describedCredentials(auth.value) : undefined;
    const kind = ['kind', 'tool', 'type'].map((key) => textOf(fieldOf(task, key))).find((word) => word !== undefined);
    const use = kind === undefined ? undefined : USES[kind];
    const used = credentials === undefined ? undefined : use?.(task, credentials);
    if (used === undefined || credentials === undefined || auth === undefined) return task;
    for (const credential of credentials) {
      if (!declared.has(credential.name)) declared.set(credential.name, declaration(credential, journal));
    }
    return used;
  });
  if (changed === workflow) return root;
  const present = declaredNames(root);
  const fresh = [...declared].flatMap(([name, part]) => (present.has(name) ? [] : [part]));
  return withDeclarations(replacedValue(root, 'workflow', changed), fresh);
}

type Use = (task: MapTree, credentials: readonly DescribedCredential[]) => MapTree | undefined;

/** What a task makes of the credentials that it described, by its kind. */
const USES: Readonly<Record<string, Use>> = {
  http: (task, credentials) => {
    const [only, other] = credentials;
    if (only === undefined || other !== undefined) return undefined;
    if (only.use === 'bearer') return replacedValue(task, 'auth', scalar(only.name));
    // The request carries them itself.
    return only.use === 'oauth2_client_credentials' ? withKeychain(without(task, 'auth')) : undefined;
  },
  duckdb: (task, credentials) => {
    const statements = credentials.map(secretStatement);
    const field = ['command', 'commands', 'query'].find((key) => textOf(fieldOf(task, key)) !== undefined);
    const sql = field === undefined ? undefined : fieldOf(task, field);
    if (field === undefined || sql?.kind !== 'scalar' || statements.some((text) => text === undefined))
      return undefined;
    return replacedValue(without(task, 'auth'), field, withLineAbove(sql, statements.join(' ')));
  },
};

/** `auth.name.field` in templates is an entry of the keychain. */
function withKeychain(task: MapTree): MapTree {
  const changed = mapScalars(task, (tree) => {
    const text = textOf(tree);
    if (text === undefined || !text.includes('auth.')) return tree;
    const { edits } = rewriteTemplate(text, {
      reference: ({ name, path }) =>
        name === 'auth' && path.length > 0 ? { text: `keychain.${path[0]}`, covers: 1, rule: 'auth-name' } : undefined,
    });
    return respelled(tree, edits);
  });
  return changed.kind === 'map' ? changed : task;
}

const SECRETS: Readonly<Record<string, readonly string[]>> = {
  postgres: ['TYPE postgres', 'HOST host', 'PORT port', 'DATABASE database', 'USER user', 'PASSWORD password'],
  hmac: ['TYPE gcs', 'KEY_ID key_id', 'SECRET secret_key'],
};

function secretStatement({ name, use, scope }: DescribedCredential): string | undefined {
  const [type, ...fields] = SECRETS[use] ?? [];
  if (type === undefined) return undefined;
  const values = fields.map((field) => {
    const [word, key] = field.split(' ');
    return `${word} '{{ keychain.${name}.${key} }}'`;
  });
  const limit = scope === undefined ? [] : [`SCOPE '${scope}'`];
  return `CREATE OR REPLACE SECRET ${name} (${[type, ...values, ...limit].join(', ')});`;
}

function declaration({ name, at, kind, fields, use }: DescribedCredential, journal: Journal): ItemTree {
  const where = kind === 'secret_manager' ? ', of the secret manager of Google' : '';
  const made = Object.hasOwn(SECRETS, use) ? `; a statement makes the secret of DuckDB from its fields` : '';
  journal.note('credential-declared', at, `the keychain declares '${name}'${where}${made}`, { review: true });
  const provider = kind === 'secret_manager' ? [entry('provider', 'gcp', at)] : [];
  const parts = fields.map((field) => ('parts' in field ? entry('map', map(...field.parts), at) : field));
  return item(map(entry('name', name, at), entry('kind', kind, at), ...provider, ...parts), at);
}

function declaredNames(root: MapTree): ReadonlySet<string> {
  const keychain = fieldOf(root, 'keychain');
  const items = keychain?.kind === 'list' ? keychain.items : [];
  return new Set(items.flatMap(({ value }) => (value.kind === 'map' ? (textOf(fieldOf(value, 'name')) ?? []) : [])));
}

/** Every map below, replaced; the same tree if none is another. */
function visited(tree: Tree, change: (map: MapTree) => MapTree): Tree {
  if (tree.kind === 'scalar') return tree;
  if (tree.kind === 'list') return mapItems(tree, (value) => visited(value, change));
  const entries = tree.entries.map((part) => revalued(part, visited(part.value, change)));
  const inner = entries.every((part, i) => part === tree.entries[i]) ? tree : withEntries(tree, entries);
  return change(inner);
}
