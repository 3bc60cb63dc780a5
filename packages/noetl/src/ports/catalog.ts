import type { Instant } from '@noetl/engine';
import type { Original } from '@noetl/playbook';

/** Registered playbooks: texts by path and version. Versions of a path count from 1 without gaps and never change. */
export interface Catalog {
  /**
   * A new version, or the newest one if it has this content already. The hash is that of the text, and of what it was
   * translated from.
   */
  register(
    path: string,
    text: string,
    contentHash: string,
    now: Instant,
    original?: Original | undefined,
  ): Promise<CatalogEntry>;
  /** The newest version if none is named. */
  get(path: string, version?: number): Promise<CatalogEntry | undefined>;
  /** An entry with this content, whichever. */
  byHash(contentHash: string): Promise<CatalogEntry | undefined>;
  /** The newest version of each path behind the given one, in the order of the paths' bytes in UTF-8. */
  list(after: string, limit: number): Promise<readonly CatalogEntry[]>;
  /** Versions of a path, newest first, from behind the version `before`. */
  history(path: string, before: number | undefined, limit: number): Promise<readonly CatalogEntry[]>;
}

export interface CatalogEntry {
  readonly path: string;
  /** From 1. */
  readonly version: number;
  /** What runs. */
  readonly text: string;
  /** MIG-2: what its author wrote, if that was in an older dialect. */
  readonly original?: Original | undefined;
  readonly contentHash: string;
  readonly registeredAt: Instant;
}
