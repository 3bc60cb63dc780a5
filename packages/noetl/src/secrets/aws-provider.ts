import { secretKey, textOrField } from './secret-field.ts';
import { Unresolved } from './unresolved.ts';
import { askVendor, type LoadPackage, vendorClient } from './vendor-client.ts';

const PACKAGE = '@aws-sdk/client-secrets-manager';
const KEEPER = 'AWS Secrets Manager';

/** What is used of the package. */
interface SecretsManager {
  readonly SecretsManagerClient: new (
    options: object,
  ) => {
    send(command: object): Promise<{ readonly SecretString?: string; readonly SecretBinary?: Uint8Array }>;
  };
  readonly GetSecretValueCommand: new (input: { readonly SecretId: string }) => object;
}

/** `NAME` or ARN; `#FIELD` for a field of its JSON. Region and account come from where the package looks for them. */
export async function fromAws(key: string, load: LoadPackage): Promise<string> {
  const wanted = secretKey(key);
  const { SecretsManagerClient, GetSecretValueCommand } = await vendorClient<SecretsManager>(PACKAGE, KEEPER, load);
  const { SecretString, SecretBinary } = await askVendor(wanted.name, KEEPER, () =>
    new SecretsManagerClient({}).send(new GetSecretValueCommand({ SecretId: wanted.name })),
  );
  const text = SecretString ?? (SecretBinary === undefined ? undefined : Buffer.from(SecretBinary).toString('utf8'));
  if (text === undefined) throw new Unresolved(`needs the secret '${wanted.name}' of ${KEEPER}, which is empty.`);
  return textOrField(text, wanted);
}
