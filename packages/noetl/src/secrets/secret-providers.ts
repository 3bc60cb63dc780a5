import { fromEnvironment } from './env-provider.ts';
import { fromFile } from './file-provider.ts';
import { Unresolved } from './unresolved.ts';
import type { LoadPackage } from './vendor-client.ts';

export interface ProviderSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Loads the client of a vendor; a package that is not installed is a clear error. */
  readonly load?: LoadPackage;
}

/** Who keeps secrets outside of the program. */
export interface SecretProviders {
  /** The installation's, for who names none. */
  readonly standard: string;
  /** The secret of that name; throws Unresolved. */
  read(provider: string, key: string): Promise<string>;
}

export const PROVIDERS = ['env', 'file', 'vault', 'gcp', 'aws', 'azure'] as const;
type Provider = (typeof PROVIDERS)[number];

export function openSecretProviders({ environment, load = (name) => import(name) }: ProviderSources): SecretProviders {
  /** What needs a client is loaded when it is first asked. */
  const providers: Readonly<Record<Provider, (key: string) => Promise<string>>> = {
    env: async (key) => fromEnvironment(key, environment),
    file: (key) => fromFile(key, environment.NOETL_SECRETS || undefined),
    vault: async (key) => (await import('./vault-provider.ts')).fromVault(key, environment),
    gcp: async (key) => (await import('./gcp-provider.ts')).fromGcp(key, load),
    aws: async (key) => (await import('./aws-provider.ts')).fromAws(key, load),
    azure: async (key) => (await import('./azure-provider.ts')).fromAzure(key, environment, load),
  };
  return {
    standard: environment.NOETL_SECRET_PROVIDER || 'env',
    read(provider, key) {
      if (!Object.hasOwn(providers, provider)) {
        throw new Unresolved(
          `names the provider '${provider}', which does not exist; there are ${PROVIDERS.join(', ')}.`,
        );
      }
      return providers[provider as Provider](key);
    },
  };
}
