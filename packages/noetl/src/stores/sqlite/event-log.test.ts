import { eventLogContract } from '../../ports/event-log.contract.testing.ts';
import { openStore, WAYS } from './opened-store.testing.ts';

for (const [name, open] of Object.entries(WAYS)) {
  eventLogContract(name, async () => {
    const { store, pass, close } = await openStore(open);
    return { log: store.log, pass, close };
  });
}
