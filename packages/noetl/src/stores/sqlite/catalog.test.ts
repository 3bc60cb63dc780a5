import { catalogContract } from '../../ports/catalog.contract.testing.ts';
import { openStore, WAYS } from './opened-store.testing.ts';

// Every test has a catalog of its own; a thread for each would take its time.
for (const name of ['sqlite in place', 'sqlite, two on one folder']) {
  catalogContract(name, async () => {
    const { store, close } = await openStore(WAYS[name]);
    return { catalog: store.catalog, close };
  });
}
