import type { Catalog, CatalogEntry } from '../../ports/catalog.ts';

/** A catalog that lives as long as the process. */
export function createMemoryCatalog(): Catalog {
  const versions = new Map<string, CatalogEntry[]>();
  const byHash = new Map<string, CatalogEntry>();

  return {
    register: async (path, text, contentHash, now, original) => {
      const history = versions.get(path) ?? [];
      const newest = history.at(-1);
      if (newest?.contentHash === contentHash) return newest;
      const fields = { path, version: history.length + 1, text, contentHash, registeredAt: now };
      const entry = Object.freeze(original === undefined ? fields : { ...fields, original });
      versions.set(path, [...history, entry]);
      byHash.set(contentHash, entry);
      return entry;
    },
    get: async (path, version) => {
      const history = versions.get(path) ?? [];
      return history[(version ?? history.length) - 1];
    },
    byHash: async (contentHash) => byHash.get(contentHash),
    list: async (after, limit) =>
      [...versions.values()]
        .flatMap((history) => history.at(-1) ?? [])
        .filter(({ path }) => byBytes(path, after) > 0)
        .sort((one, other) => byBytes(one.path, other.path))
        .slice(0, limit),
    history: async (path, before, limit) =>
      (versions.get(path) ?? [])
        .slice(0, before === undefined ? undefined : Math.max(0, before - 1))
        .toReversed()
        .slice(0, limit),
  };
}

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
