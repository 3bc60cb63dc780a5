import { resultStoreContract } from '../ports/result-store.contract.testing.ts';
import { createMemoryResults } from './memory.ts';

resultStoreContract('memory', async () => {
  const texts = new Map<string, string>();
  return {
    results: createMemoryResults(texts),
    damage: async (key) => {
      texts.set(key, `${texts.get(key)} `);
    },
    close: async () => undefined,
  };
});
