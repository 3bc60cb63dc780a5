import { secretKey, textOrField } from './secret-field.ts';
import { Unresolved } from './unresolved.ts';
import { askVendor, type LoadPackage, vendorClient } from './vendor-client.ts';

const PACKAGE = '@google-cloud/secret-manager';
const KEEPER = 'Google Secret Manager';

/** What is used of the package. */
interface SecretManager {
  readonly SecretManagerServiceClient: new () => {
    getProjectId(): Promise<string>;
    accessSecretVersion(request: {
      name: string;
    }): Promise<readonly [{ readonly payload?: { readonly data?: Uint8Array | string | null } | null }, ...unknown[]]>;
  };
}

/** `NAME`, in the project of the client, or `projects/P/secrets/NAME/versions/V`; `#FIELD` for a field of its JSON. */
export async function fromGcp(key: string, load: LoadPackage): Promise<string> {
  const wanted = secretKey(key);
  const { SecretManagerServiceClient } = await vendorClient<SecretManager>(PACKAGE, KEEPER, load);
  const data = await askVendor(wanted.name, KEEPER, async () => {
    const client = new SecretManagerServiceClient();
    const full = /^projects\//.test(wanted.name)
      ? wanted.name
      : `projects/${await client.getProjectId()}/secrets/${wanted.name}`;
    const name = /\/versions\//.test(full) ? full : `${full}/versions/latest`;
    const [version] = await client.accessSecretVersion({ name });
    return version.payload?.data;
  });
  if (data === undefined || data === null)
    throw new Unresolved(`needs the secret '${wanted.name}' of ${KEEPER}, which is empty.`);
  return textOrField(typeof data === 'string' ? data : Buffer.from(data).toString('utf8'), wanted);
}
