import { auditContract } from '../../ports/audit.contract.testing.ts';
import { openStore, WAYS } from './opened-store.testing.ts';

for (const name of ['sqlite in place', 'sqlite, two on one folder']) {
  auditContract(name, async () => {
    const { store, close } = await openStore(WAYS[name]);
    return { audit: store.audit, close };
  });
}
