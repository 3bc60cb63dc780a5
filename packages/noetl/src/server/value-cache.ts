import { type KnownValues, type Loaded, type Tagged, tagKey } from '@noetl/engine';
import { loadBudget, loadValues, type ValueSources } from './load-values.ts';

/**
 * How many values are kept, and how many bytes: a loop reads its list for each iteration, and must not fetch it each time.
 * The newest is kept however large it is.
 */
const KEPT = 64;
const KEPT_BYTES = 64 * 1024 * 1024;

interface Kept {
  readonly loaded: Loaded;
  readonly bytes: number;
}

/**
 * RES-2: values behind references, fetched once as long as they are used, also if many ask at the same moment. Only what
 * was found is kept.
 */
export function createValueCache(): (tags: readonly Tagged[], sources: ValueSources) => Promise<KnownValues> {
  const kept = new Map<string, Kept>();
  const underWay = new Map<string, Promise<Kept | undefined>>();
  let bytes = 0;

  function drop(key: string): void {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  }

  function keep(key: string, value: Kept): void {
    drop(key);
    kept.set(key, value);
    bytes += value.bytes;
    for (const oldest of kept.keys()) {
      if (kept.size <= 1 || (kept.size <= KEPT && bytes <= KEPT_BYTES)) return;
      drop(oldest);
    }
  }

  function fetched(key: string, tagged: Tagged, sources: ValueSources): Promise<Kept | undefined> {
    const already = underWay.get(key);
    if (already !== undefined) return already;
    const budget = loadBudget();
    const { left } = budget;
    const fetching = loadValues([tagged], sources, [], budget)
      .then((values) => {
        const loaded = values.get(key);
        return loaded === undefined ? undefined : { loaded, bytes: left - budget.left };
      })
      .finally(() => underWay.delete(key));
    underWay.set(key, fetching);
    return fetching;
  }

  return async (tags, sources) => {
    const known = new Map<string, Loaded>();
    for (const tagged of tags) {
      const key = tagKey(tagged);
      const value = kept.get(key) ?? (await fetched(key, tagged, sources));
      if (value === undefined) continue;
      known.set(key, value.loaded);
      if ('value' in value.loaded) keep(key, value);
    }
    return known;
  };
}
