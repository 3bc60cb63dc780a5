import type { Instant } from '@noetl/engine';

/**
 * SEC-2: credentials by name, as they were sealed by whoever has the key: the store never sees a key or a value. All are
 * sealed with the same key, which the store knows by its name only.
 */
export interface SecretStore {
  /** With which key entries are sealed; undefined before the first. */
  seal(): Promise<Seal | undefined>;
  /** Keeps an entry, over one of the same name. Refused if there are others under another key. */
  put(entry: SealedCredential, seal: Seal): Promise<'kept' | 'refused'>;
  get(name: string): Promise<SealedCredential | undefined>;
  /** All of them, in the order of their names' bytes in UTF-8. */
  list(): Promise<readonly SealedCredential[]>;
  /** The names that were there. */
  remove(names: readonly string[]): Promise<readonly string[]>;
  /**
   * Replaces all entries by the same ones under another key: all or none. Refused if they are not `before` any more,
   * because somebody has set or removed one, or was faster.
   */
  reseal(
    from: Seal,
    to: Seal,
    before: readonly string[],
    after: readonly SealedCredential[],
  ): Promise<'kept' | 'refused'>;
}

/** The key of a store. */
export interface Seal {
  /** The store, whose key file has this name. */
  readonly store: string;
  /** What tells the key from others, and nothing about it. */
  readonly key: string;
}

export interface SealedCredential {
  readonly name: string;
  readonly kind: string;
  /** The names of its fields; none if it is a text. */
  readonly fields: readonly string[];
  readonly setAt: Instant;
  /** The value under its own key, and that key under the store's. */
  readonly sealed: string;
}
