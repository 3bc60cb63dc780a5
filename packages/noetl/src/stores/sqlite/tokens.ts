import type { Tokens } from '../../ports/tokens.ts';
import type { Call } from './call.ts';

export function createSqliteTokens(call: Call): Tokens {
  return {
    put: (token) => call('putToken', token),
    byHash: (hash) => call('tokenByHash', hash),
    list: () => call('tokens'),
    revoke: (name, now) => call('revokeToken', name, now),
    any: () => call('anyToken'),
  };
}
