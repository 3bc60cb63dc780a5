import type { Instant } from '@noetl/engine';
import type { Json, JsonMap, KeychainEntry } from '@noetl/playbook';
import type { OpenedCredential } from './credential-store.ts';
import { KeyProblem } from './key-problem.ts';
import { namedSecrets, readSecrets } from './named-secrets.ts';
import type { OAuth2Client, OAuth2Token } from './oauth2-token.ts';
import type { SecretProviders } from './secret-providers.ts';
import { checkedPostgres } from './stored-kinds.ts';
import { Unresolved } from './unresolved.ts';

export interface KeychainSources {
  readonly providers: SecretProviders;
  /** An entry of the credential store; throws a KeyProblem. */
  credential(name: string): Promise<OpenedCredential | undefined>;
  token(client: OAuth2Client): Promise<OAuth2Token>;
}

/** The value of an entry, and until when it is good, if that is known and it can be had anew. */
export interface EntryValue {
  readonly value: Json;
  /** What else is secret about it, and not for tasks. */
  readonly also?: JsonMap;
  /** Whether there is a newer one to be had when it is refused. */
  readonly isToken?: boolean;
  readonly expiresAt?: Instant | undefined;
}

/** SEC-1: the value of an entry, its templates evaluated. Throws Unresolved. */
export async function entryValue(
  { name, kind }: Pick<KeychainEntry, 'name' | 'kind'>,
  fields: JsonMap,
  sources: KeychainSources,
): Promise<EntryValue> {
  switch (kind) {
    case 'credential':
      return fromStore(fields.credential ?? name, sources);
    case 'postgres_credential':
      return { value: await postgres(name, fields, sources) };
    case 'secret_manager':
      return { value: await readSecrets(namedSecrets(fields, sources.providers.standard, name), sources.providers) };
    case 'static':
      return { value: fields.value ?? null };
    case 'bearer':
      return { value: { token: textField(fields, 'token') } };
    case 'basic':
      return { value: { username: textField(fields, 'username'), password: textField(fields, 'password') } };
    case 'oauth2':
      return token(fields, sources);
    default:
      throw new Unresolved(`is of the kind '${kind}', which does not exist.`);
  }
}

function textField(fields: JsonMap, field: string): string {
  const value = fields[field];
  if (typeof value === 'string' && value !== '') return value;
  throw new Unresolved(`has a '${field}' that is no text.`);
}

async function opened(name: Json, { credential }: KeychainSources): Promise<OpenedCredential> {
  if (typeof name !== 'string' || name === '') throw new Unresolved("has a 'credential' that is no text.");
  const found = await credential(name).catch((error: unknown) => {
    if (!(error instanceof KeyProblem)) throw error;
    throw new Unresolved(`needs the credential '${name}' of the data folder, which cannot be opened: ${error.message}`);
  });
  if (found !== undefined) return found;
  throw new Unresolved(
    `needs the credential '${name}', which the data folder does not have. Set it: noetl credential set ${name}`,
  );
}

async function fromStore(name: Json, sources: KeychainSources): Promise<EntryValue> {
  const { kind, value } = await opened(name, sources);
  return kind === 'oauth2' ? token(value as JsonMap, sources) : { value };
}

async function token(fields: JsonMap, sources: KeychainSources): Promise<EntryValue> {
  const [scope, audience] = [fields.scope, fields.audience].map((text) =>
    typeof text === 'string' && text !== '' ? text : undefined,
  );
  const issued = await sources.token({
    token_url: textField(fields, 'token_url'),
    client_id: textField(fields, 'client_id'),
    client_secret: textField(fields, 'client_secret'),
    ...(scope === undefined ? {} : { scope }),
    ...(audience === undefined ? {} : { audience }),
  });
  const also = { client_secret: textField(fields, 'client_secret') };
  return { value: { token: issued.token }, also, isToken: true, expiresAt: issued.expiresAt };
}

/** Spelled out, or from the store with what is spelled out over it; always `{dsn}`, or all parts with a port. */
async function postgres(name: string, { credential, ...given }: JsonMap, sources: KeychainSources): Promise<Json> {
  const spelledOut = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== ''));
  const fromElsewhere = credential !== undefined || Object.keys(spelledOut).length === 0;
  const kept = fromElsewhere ? (await opened(credential ?? name, sources)).value : {};
  const parts = typeof kept === 'string' ? { dsn: kept } : (kept as JsonMap);
  const checked = checkedPostgres({ ...parts, ...spelledOut });
  if ('problem' in checked) throw new Unresolved(checked.problem);
  return checked.value;
}
