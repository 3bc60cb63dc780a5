import { tokensContract } from '../../ports/tokens.contract.testing.ts';
import { openStore, WAYS } from './opened-store.testing.ts';

for (const name of ['sqlite in place', 'sqlite, two on one folder']) {
  tokensContract(name, async () => {
    const { store, close } = await openStore(WAYS[name]);
    return { tokens: store.tokens, close };
  });
}
