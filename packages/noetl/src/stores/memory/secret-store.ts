import type { Seal, SealedCredential, SecretStore } from '../../ports/secret-store.ts';

/** Credentials that live as long as the process, sealed all the same. */
export function createMemorySecrets(): SecretStore {
  const entries = new Map<string, SealedCredential>();
  let seal: Seal | undefined;
  const list = (): readonly SealedCredential[] =>
    [...entries.values()].sort((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)));
  return {
    seal: async () => seal,
    put: async (entry, by) => {
      if (seal !== undefined && entries.size > 0 && !isSame(seal, by)) return 'refused';
      seal = by;
      entries.set(entry.name, entry);
      return 'kept';
    },
    get: async (name) => entries.get(name),
    list: async () => list(),
    remove: async (names) => names.filter((name) => entries.delete(name)),
    reseal: async (from, to, before, after) => {
      const now = list().map(({ sealed }) => sealed);
      if (seal === undefined || !isSame(seal, from) || !isEqual(now, before)) return 'refused';
      seal = to;
      for (const entry of after) entries.set(entry.name, entry);
      return 'kept';
    },
  };
}

const isSame = (one: Seal, other: Seal): boolean => one.store === other.store && one.key === other.key;

const isEqual = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((text, at) => text === others[at]);
