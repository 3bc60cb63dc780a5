import type { ResultReference } from '@noetl/engine';
import type { ResultStore, StoredPlace, StoreProblem } from '../ports/result-store.ts';
import { StoreError } from '../ports/store-error.ts';

/** Several stores as one: values go to the usual one unless another is named, and are found by their references. */
export function createRoutedResults(
  usual: ResultStore,
  open: (name: string) => ResultStore | StoreProblem,
): ResultStore & Required<Pick<ResultStore, 'named'>> {
  const opened = new Map<string, ResultStore>([[usual.name, usual]]);

  function named(name: string): ResultStore | StoreProblem {
    const found = opened.get(name) ?? open(name);
    if (!('problem' in found)) opened.set(name, found);
    return found;
  }

  function storeOf({ store }: Pick<ResultReference, 'store'>): ResultStore {
    const found = named(store);
    if ('problem' in found) throw new StoreError('NOETL_STORE_UNCONFIGURED', found.problem, { store });
    return found;
  }

  return {
    name: usual.name,
    put: usual.put,
    putPieces: usual.putPieces,
    named,
    get: async (reference) => storeOf(reference).get(reference),
    async *read(reference) {
      yield* storeOf(reference).read(reference);
    },
    inspect: async (reference) => storeOf(reference).inspect(reference),
    remove: async (references) => {
      const byStore = new Map<ResultStore, StoredPlace[]>();
      for (const reference of references) {
        const store = storeOf(reference);
        byStore.set(store, [...(byStore.get(store) ?? []), reference]);
      }
      for (const [store, places] of byStore) await store.remove(places);
    },
  };
}
