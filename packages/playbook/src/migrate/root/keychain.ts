import type { DocumentFacts } from '../document-facts.ts';
import type { Journal } from '../journal.ts';
import { entry, scalar } from '../tree/build.ts';
import {
  entryOf,
  fieldOf,
  mapItems,
  rekeyed,
  renamedEntry,
  replacedValue,
  textOf,
  withEntries,
  withEntry,
  without,
} from '../tree/edit.ts';
import type { MapTree } from '../tree/tree.ts';

type EntryRule = (entry: MapTree, journal: Journal) => MapTree;

/** Kinds by what they are called now. */
const KINDS: Readonly<Record<string, string>> = {
  secrets: 'secret_manager',
  postgres: 'postgres_credential',
  google_oauth: 'credential',
};

/** Keys that have no place any more, and why. */
const REMOVED: Readonly<Record<string, string>> = {
  scope: 'entries belong to their execution',
  auto_renew: 'tokens are renewed before they expire',
};

/** The kinds of older entries, and their keys by those kinds. */
export function migrateKeychain(root: MapTree, _facts: DocumentFacts, journal: Journal): MapTree {
  const keychain = fieldOf(root, 'keychain');
  if (keychain?.kind !== 'list') return root;
  const changed = mapItems(keychain, (value) =>
    value.kind === 'map' ? RULES.reduce<MapTree>((tree, rule) => rule(tree, journal), value) : value,
  );
  return changed === keychain ? root : replacedValue(root, 'keychain', changed);
}

const kindOf = (tree: MapTree): string => textOf(fieldOf(tree, 'kind')) ?? '';

/** `type` with `ref` named an entry of the credential store. */
const reference: EntryRule = (tree, journal) => {
  const [ref, type] = [entryOf(tree, 'ref'), entryOf(tree, 'type')];
  if (ref === undefined || entryOf(tree, 'credential') !== undefined) return tree;
  journal.note('keychain-key', ref.at, "'ref' becomes 'credential'");
  const named = renamedEntry(tree, 'ref', 'credential');
  if (type === undefined || entryOf(tree, 'kind') !== undefined) return named;
  journal.note('keychain-key', type.at, `type ${textOf(type.value)} becomes kind: credential`, { review: true });
  return replacedValue(renamedEntry(named, 'type', 'kind'), 'kind', scalar('credential'));
};

const kind: EntryRule = (tree, journal) => {
  const type = entryOf(tree, 'type');
  const typed = type !== undefined && entryOf(tree, 'kind') === undefined ? renamedEntry(tree, 'type', 'kind') : tree;
  if (typed !== tree && type !== undefined) journal.note('keychain-key', type.at, "'type' becomes 'kind'");
  const old = entryOf(typed, 'kind');
  const now = Object.hasOwn(KINDS, kindOf(typed)) ? KINDS[kindOf(typed)] : undefined;
  if (old === undefined || now === undefined) return typed;
  journal.note('keychain-key', old.at, `kind ${kindOf(typed)} becomes ${now}`);
  return replacedValue(typed, 'kind', scalar(now));
};

const removed: EntryRule = (tree, journal) => {
  // The scope of a token is another one.
  const ofToken = kindOf(tree) === 'oauth2' && entryOf(tree, 'token_url') !== undefined;
  const found = tree.entries.filter(({ key }) => Object.hasOwn(REMOVED, key) && !(ofToken && key === 'scope'));
  for (const { key, at } of found) journal.note('keychain-key', at, `'${key}' is left out: ${REMOVED[key]}`);
  return without(tree, ...found.map(({ key }) => key));
};

const manager: EntryRule = (tree, journal) => {
  const auth = kindOf(tree) === 'secret_manager' ? entryOf(tree, 'auth') : undefined;
  if (auth === undefined) return tree;
  journal.note(
    'keychain-key',
    auth.at,
    "'auth' is left out: how a secret manager is reached is set up with the installation",
    {
      review: true,
    },
  );
  return without(tree, 'auth');
};

/** What a request for a token sent, by field. */
const TOKEN_FIELDS = ['client_id', 'client_secret', 'scope', 'audience'];

/** The request for a token was spelled out: what varies in it are fields. */
const token: EntryRule = (tree, journal) => {
  const data = entryOf(tree, 'data');
  const endpoint = entryOf(tree, 'endpoint');
  if (kindOf(tree) !== 'oauth2' || endpoint === undefined || data?.value.kind !== 'map') return tree;
  const grant = textOf(fieldOf(data.value, 'grant_type'));
  const foreign = data.value.entries.find(({ key }) => key !== 'grant_type' && !TOKEN_FIELDS.includes(key));
  if ((grant !== undefined && grant !== 'client_credentials') || foreign !== undefined) {
    journal.problem(
      (foreign ?? data).at,
      `the token is asked for with ${foreign === undefined ? `grant_type ${grant}` : `'${foreign.key}'`}`,
      'An entry of kind oauth2 gets a token by client credentials; get others with a http task.',
    );
    return tree;
  }
  journal.note('keychain-key', endpoint.at, "'endpoint' becomes 'token_url', and what is sent becomes fields");
  const parts = data.value.entries.filter(({ key }) => key !== 'grant_type');
  const flat = withEntries(
    tree,
    tree.entries.flatMap((part) => (part === data ? parts : part === endpoint ? [rekeyed(part, 'token_url')] : [part])),
  );
  return without(flat, 'method', 'headers');
};

/** Tokens of Google for one audience are not made here: one is kept where credentials are. */
const idToken: EntryRule = (tree, journal) => {
  const old = entryOf(tree, 'kind');
  if (old === undefined || kindOf(tree) !== 'google_id_token') return tree;
  journal.note(
    'keychain-key',
    old.at,
    "kind google_id_token becomes credential: keep a token with 'noetl credential set', it is not made or renewed here",
    { review: true },
  );
  const kept = without(tree, 'service_account_secret', 'service_account_credential', 'target_audience', 'auth');
  return replacedValue(kept, 'kind', scalar('credential'));
};

/** An entry without a kind named a credential. */
const kindMissing: EntryRule = (tree, journal) => {
  const name = entryOf(tree, 'name');
  if (name === undefined || entryOf(tree, 'kind') !== undefined || entryOf(tree, 'credential') === undefined)
    return tree;
  journal.note('keychain-key', name.at, 'kind: credential is said');
  return withEntry(tree, entry('kind', 'credential', name.at), { after: 'name' });
};

const RULES: readonly EntryRule[] = [reference, kind, removed, manager, token, idToken, kindMissing];
