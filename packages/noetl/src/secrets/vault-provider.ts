import { request } from 'undici';
import { fieldOf, secretKey } from './secret-field.ts';
import { codeOf, Unresolved } from './unresolved.ts';

/** Milliseconds for an answer. */
const PATIENCE = 10_000;

/**
 * Reads from the KV store (version 2) of HashiCorp Vault: `mount/path#field`; without a slash the mount is `secret`. Where
 * it is and who asks come from the variables that Vault's own programs use.
 */
export async function fromVault(
  key: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const wanted = secretKey(key);
  const { VAULT_ADDR: address = '', VAULT_TOKEN: token = '', VAULT_NAMESPACE: namespace = '' } = environment;
  for (const [name, value] of [['VAULT_ADDR', address] as const, ['VAULT_TOKEN', token] as const]) {
    if (value === '') {
      throw new Unresolved(`asks Vault, and ${name} is not set. Set it before noetl starts: export ${name}=…`);
    }
  }
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) {
    throw new Unresolved('asks Vault, and VAULT_ADDR is no address that begins with http:// or https://.');
  }
  const headers = { 'x-vault-token': token, ...(namespace === '' ? {} : { 'x-vault-namespace': namespace }) };
  const { status, body } = await ask(addressOf(address, wanted.name), headers);
  if (status !== 200)
    throw new Unresolved(`needs the secret '${wanted.name}' of Vault, which ${whyNot(status)}`, isPassing(status));
  const fields = fieldsIn(body);
  if (fields === undefined) {
    throw new Unresolved(
      `needs the secret '${wanted.name}' of Vault, whose answer is none of a KV store of version 2.`,
    );
  }
  return fieldOf(fields, wanted);
}

/** `mount/path` as the API wants it: `mount/data/path`. */
function addressOf(address: string, name: string): URL {
  const [first = '', ...rest] = name.split('/').filter((part) => part !== '');
  const [mount, path] = rest.length === 0 ? ['secret', [first]] : [first, rest];
  if (first === '' || [mount, ...path].some((part) => part === '.' || part === '..')) {
    throw new Unresolved(`names the secret '${name}' of Vault; MOUNT/PATH#FIELD is expected.`);
  }
  const parts = ['v1', mount, 'data', ...path].map(encodeURIComponent);
  return new URL(`${address.replace(/\/+$/, '')}/${parts.join('/')}`);
}

async function ask(url: URL, headers: Record<string, string>): Promise<{ status: number; body: unknown }> {
  try {
    const response = await request(url, { headers, signal: AbortSignal.timeout(PATIENCE) });
    const body: unknown = await response.body.json().catch(() => undefined);
    return { status: response.statusCode, body };
  } catch (error) {
    throw new Unresolved(`asks Vault, and ${url.origin} cannot be reached (${codeOf(error)}).`, {
      cause: error,
      passing: true,
    });
  }
}

const isPassing = (status: number) => ({ passing: status === 429 || status >= 500 });

function whyNot(status: number): string {
  switch (status) {
    case 404:
      return 'is not there, or was deleted.';
    case 403:
      return 'the token in VAULT_TOKEN may not read, or has expired.';
    case 503:
      return 'is sealed, or in maintenance.';
    default:
      return `answered with the status ${status}.`;
  }
}

function fieldsIn(body: unknown): Readonly<Record<string, unknown>> | undefined {
  const outer = isMap(body) ? body.data : undefined;
  const inner = isMap(outer) ? outer.data : undefined;
  return isMap(inner) ? inner : undefined;
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
