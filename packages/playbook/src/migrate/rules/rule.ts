import type { Dialect } from '../dialects.ts';

/** MIG-1: one way in which an older construct becomes a canonical one. A row of the table in the guide. */
export interface Rule {
  /** The dialects that had it. */
  readonly dialects: readonly Dialect[];
  /** YAML on one line, as an author wrote it. */
  readonly old: string;
  /** YAML on one line, as it is written now; empty where nothing takes its place. */
  readonly new: string;
  /** Why it means the same, or what the author should know; one sentence. */
  readonly why: string;
}
