import { secretStoreContract } from '../../ports/secret-store.contract.testing.ts';
import { openStore, WAYS } from './opened-store.testing.ts';

for (const name of ['sqlite in place', 'sqlite, two on one folder']) {
  secretStoreContract(name, async () => {
    const { store, close } = await openStore(WAYS[name]);
    return { secrets: store.secrets, close };
  });
}
