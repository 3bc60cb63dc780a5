import { type KnownValues, type Loaded, type Tagged, tagKey } from '@noetl/engine';
import { loadValues, type ValueSources } from './load-values.ts';

/** How many values are kept: a loop reads its list for each iteration, and must not fetch it each time. */
const KEPT = 64;

/**
 * RES-2: values behind references, fetched once as long as they are used, also if many ask at the same moment. Only what
 * was found is kept.
 */
export function createValueCache(sources: ValueSources): (tags: readonly Tagged[]) => Promise<KnownValues> {
  const kept = new Map<string, Loaded>();
  const underWay = new Map<string, Promise<Loaded | undefined>>();

  function keep(key: string, loaded: Loaded): void {
    kept.delete(key);
    kept.set(key, loaded);
    const [oldest] = kept.keys();
    if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
  }

  function fetched(key: string, tagged: Tagged): Promise<Loaded | undefined> {
    const already = underWay.get(key);
    if (already !== undefined) return already;
    const fetching = loadValues([tagged], sources)
      .then((values) => values.get(key))
      .finally(() => underWay.delete(key));
    underWay.set(key, fetching);
    return fetching;
  }

  return async (tags) => {
    const known = new Map<string, Loaded>();
    for (const tagged of tags) {
      const key = tagKey(tagged);
      const loaded = kept.get(key) ?? (await fetched(key, tagged));
      if (loaded === undefined) continue;
      known.set(key, loaded);
      if ('value' in loaded) keep(key, loaded);
    }
    return known;
  };
}
