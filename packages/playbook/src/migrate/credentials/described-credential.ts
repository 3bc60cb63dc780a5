import { entryOf, fieldOf, textOf } from '../tree/edit.ts';
import type { EntryTree, MapTree } from '../tree/tree.ts';

/** A credential that a task described where it uses it, under a name of its own. */
export interface DescribedCredential {
  readonly name: string;
  readonly at: number;
  /** What it is for: `bearer`, `oauth2_client_credentials`, `postgres`, `hmac`. */
  readonly use: string;
  /** The kind of the keychain entry, and its fields. */
  readonly kind: 'secret_manager' | 'credential' | 'postgres_credential';
  readonly fields: readonly Field[];
  /** What the secret is good for, where DuckDB asks. */
  readonly scope: string | undefined;
}

type Field = EntryTree | { readonly key: 'map'; readonly parts: readonly EntryTree[] };

/** `auth: { openai: { type: bearer, provider: secret_manager, key: … } }`; undefined where one of them is none. */
export function describedCredentials(auth: MapTree): readonly DescribedCredential[] | undefined {
  const found = auth.entries.map(describedCredential);
  return found.length > 0 && found.every((credential) => credential !== undefined) ? found : undefined;
}

function describedCredential({ key: name, value, at }: EntryTree): DescribedCredential | undefined {
  if (value.kind !== 'map') return undefined;
  const use = textOf(fieldOf(value, 'type')) ?? textOf(fieldOf(value, 'tool')) ?? '';
  const common = { name, at, use, scope: textOf(fieldOf(value, 'scope')) };
  const key = entryOf(value, 'key');
  if (textOf(fieldOf(value, 'source')) === 'credential' && key !== undefined)
    return {
      ...common,
      kind: use === 'postgres' ? 'postgres_credential' : 'credential',
      fields: [named(key, 'credential')],
    };
  if (textOf(fieldOf(value, 'provider')) !== 'secret_manager') return undefined;
  if (key !== undefined) return { ...common, kind: 'secret_manager', fields: [named(key, 'key')] };
  const parts = value.entries.flatMap((part) =>
    part.key.endsWith('_key') ? [named(part, part.key.slice(0, -4))] : [],
  );
  return parts.length === 0 ? undefined : { ...common, kind: 'secret_manager', fields: [{ key: 'map', parts }] };
}

const named = (part: EntryTree, key: string): EntryTree => ({
  ...part,
  key,
  head: undefined,
  slice: undefined,
  above: { lines: [], column: 0 },
});
