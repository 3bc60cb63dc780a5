import type { SecretStore } from '../../ports/secret-store.ts';
import type { Call } from './call.ts';

export function createSqliteSecrets(call: Call): SecretStore {
  return {
    seal: () => call('seal'),
    put: (entry, seal) => call('putCredential', entry, seal),
    get: (name) => call('credential', name),
    list: () => call('credentials'),
    remove: (names) => call('removeCredentials', names),
    reseal: (from, to, before, after) => call('resealCredentials', from, to, before, after),
  };
}
