import { describe, expect, it } from 'vitest';
import { openSecretProviders } from './secret-providers.ts';
import type { LoadPackage } from './vendor-client.ts';

const AZURE = { AZURE_KEYVAULT_URL: 'https://v.vault.azure.net' };

/** What the clients answer with, in the form that is read here; how the vendors' services behave is theirs to say. */
function packages(answer: () => unknown): { readonly load: LoadPackage; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const ask = async (...question: unknown[]) => {
    asked.push(...question);
    return answer();
  };
  class GcpClient {
    getProjectId = async () => 'my-project';
    accessSecretVersion = ask;
  }
  class AwsClient {
    send = ask;
  }
  class AwsCommand {
    readonly input: unknown;
    constructor(input: unknown) {
      this.input = input;
    }
  }
  class AzureClient {
    getSecret = ask;
  }
  const all: Readonly<Record<string, object>> = {
    '@google-cloud/secret-manager': { SecretManagerServiceClient: GcpClient },
    '@aws-sdk/client-secrets-manager': { SecretsManagerClient: AwsClient, GetSecretValueCommand: AwsCommand },
    '@azure/keyvault-secrets': { SecretClient: AzureClient },
    '@azure/identity': { DefaultAzureCredential: class {} },
  };
  return { load: async (name) => all[name], asked };
}

const read = (provider: string, key: string, load: LoadPackage) =>
  openSecretProviders({ environment: AZURE, load }).read(provider, key);

describe('TOOL-7: clients of vendors', () => {
  it.each([
    ['gcp', '@google-cloud/secret-manager'],
    ['aws', '@aws-sdk/client-secrets-manager'],
    ['azure', '@azure/keyvault-secrets'],
  ])('%s says which package to install', async (provider, name) => {
    const providers = openSecretProviders({ environment: AZURE });
    await expect(providers.read(provider, 'x')).rejects.toThrow(
      `the package '${name}' is not installed. Install it beside noetl: npm install ${name}`,
    );
  });

  it('needs to know the vault of Azure', async () => {
    await expect(openSecretProviders({ environment: {} }).read('azure', 'x')).rejects.toThrow(
      'AZURE_KEYVAULT_URL is not set',
    );
  });

  it.each([
    [
      'gcp',
      'db',
      [{ payload: { data: Buffer.from('s3cret') } }],
      { name: 'projects/my-project/secrets/db/versions/latest' },
    ],
    [
      'gcp',
      'projects/p/secrets/db/versions/7',
      [{ payload: { data: 's3cret' } }],
      { name: 'projects/p/secrets/db/versions/7' },
    ],
    [
      'gcp',
      'projects/p/secrets/db',
      [{ payload: { data: 's3cret' } }],
      { name: 'projects/p/secrets/db/versions/latest' },
    ],
    ['aws', 'db', { SecretString: 's3cret' }, { input: { SecretId: 'db' } }],
    ['aws', 'db', { SecretBinary: Buffer.from('s3cret') }, { input: { SecretId: 'db' } }],
    ['aws', 'db#pw', { SecretString: '{"user":"u","pw":"s3cret"}' }, { input: { SecretId: 'db' } }],
    ['azure', 'db', { value: 's3cret' }, 'db'],
    ['azure', 'db#pw', { value: '{"pw":"s3cret"}' }, 'db'],
  ])('%s reads %s', async (provider, key, answer, question) => {
    const { load, asked } = packages(() => answer);
    expect(await read(provider, key, load)).toBe('s3cret');
    expect(asked).toEqual([question]);
  });

  it.each([
    ['gcp', 'db', [{ payload: null }], 'which is empty'],
    ['aws', 'db', {}, 'which is empty'],
    ['azure', 'db', {}, 'which is empty'],
    [
      'aws',
      'db#pw',
      { SecretString: 'no json' },
      "needs the field 'pw' of the secret 'db', which is no mapping in JSON.",
    ],
    ['aws', 'db#pw', { SecretString: '{"user":"u"}' }, "whose fields are user: name not 'pw'."],
  ])('%s says of %s what is wrong', async (provider, key, answer, message) => {
    await expect(read(provider, key, packages(() => answer).load)).rejects.toThrow(message);
  });

  it.each(['gcp', 'aws', 'azure'])('%s tells failures by their codes only', async (provider) => {
    class ResourceNotFoundException extends Error {
      override name = 'ResourceNotFoundException';
    }
    const failing = packages(() => {
      throw new ResourceNotFoundException('for s3cret');
    });
    const refused = read(provider, 'db', failing.load);
    await expect(refused).rejects.toThrow('which did not give it (ResourceNotFoundException)');
    await expect(refused).rejects.not.toThrow('s3cret');
  });
});
