import type { Catalog } from '../../ports/catalog.ts';
import type { Call } from './call.ts';

export function createSqliteCatalog(call: Call): Catalog {
  return {
    register: (path, text, contentHash, now, original) => call('register', path, text, contentHash, now, original),
    get: (path, version) => call('playbook', path, version),
    byHash: (contentHash) => call('playbookByHash', contentHash),
    list: (after, limit) => call('playbooks', after, limit),
    history: (path, before, limit) => call('playbookHistory', path, before, limit),
  };
}
