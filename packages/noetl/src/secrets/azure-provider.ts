import { secretKey, textOrField } from './secret-field.ts';
import { Unresolved } from './unresolved.ts';
import { askVendor, type LoadPackage, vendorClient } from './vendor-client.ts';

const PACKAGE = '@azure/keyvault-secrets';
const IDENTITY = '@azure/identity';
const KEEPER = 'Azure Key Vault';

/** What is used of the packages. */
interface KeyVault {
  readonly SecretClient: new (
    url: string,
    credential: object,
  ) => { getSecret(name: string): Promise<{ readonly value?: string }> };
}
interface Identity {
  readonly DefaultAzureCredential: new () => object;
}

/** `NAME` in the vault that AZURE_KEYVAULT_URL names; `#FIELD` for a field of its JSON. */
export async function fromAzure(
  key: string,
  environment: Readonly<Record<string, string | undefined>>,
  load: LoadPackage,
): Promise<string> {
  const wanted = secretKey(key);
  const { AZURE_KEYVAULT_URL: url = '' } = environment;
  if (url === '') {
    throw new Unresolved(
      `asks ${KEEPER}, and AZURE_KEYVAULT_URL is not set. Set it before noetl starts: export AZURE_KEYVAULT_URL=https://NAME.vault.azure.net`,
    );
  }
  const { SecretClient } = await vendorClient<KeyVault>(PACKAGE, KEEPER, load);
  const { DefaultAzureCredential } = await vendorClient<Identity>(IDENTITY, KEEPER, load);
  const { value } = await askVendor(wanted.name, KEEPER, () =>
    new SecretClient(url, new DefaultAzureCredential()).getSecret(wanted.name),
  );
  if (value === undefined) throw new Unresolved(`needs the secret '${wanted.name}' of ${KEEPER}, which is empty.`);
  return textOrField(value, wanted);
}
