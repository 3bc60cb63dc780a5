import type { Database } from '../driver/database.ts';
import { type StoredText, textOf } from './stored-text.ts';

/** Where an execution's log ends. */
export interface Head {
  /** The row of the execution. */
  readonly id: number;
  readonly position: number;
  readonly hash: string;
}

/**
 * The heads of executions, kept in memory while nobody else writes to the file, and written back once per transaction.
 * `refresh` begins every transaction, `flush` comes before anybody reads the table and before the commit, and `forget`
 * follows a transaction that did not happen.
 */
export interface Heads {
  refresh(): void;
  get(execution: string): Head | undefined;
  /** `append` is the one that leads to it. */
  set(execution: string, head: Head, append: number | undefined): void;
  /** The newest append of the execution that was made here; it may be that others came after it. */
  newest(execution: string): number | undefined;
  flush(): void;
  forget(): void;
}

const MOST = 20_000;

export function createHeads(database: Database): Heads {
  const version = database.prepare<{ readonly data_version: number }>('PRAGMA data_version');
  const select = database.prepare<Omit<Head, 'hash'> & { readonly hash: StoredText }>(
    'SELECT id, position, CAST(hash AS BLOB) AS hash FROM executions WHERE execution_id = ?',
  );
  const update = database.prepare('UPDATE executions SET position = ?, hash = ? WHERE id = ?');
  const heads = new Map<string, Head>();
  const changed = new Set<string>();
  const appends = new Map<string, number | undefined>();
  let seen: number | undefined;

  return {
    refresh() {
      const now = version.get()?.data_version;
      if (now !== seen || heads.size > MOST) heads.clear();
      if (appends.size > MOST) appends.clear();
      seen = now;
    },
    get(execution) {
      const known = heads.get(execution);
      if (known !== undefined) return known;
      const found = select.get(execution);
      if (found === undefined) return undefined;
      const head = { id: found.id, position: found.position, hash: textOf(found.hash, 'executions.hash') };
      heads.set(execution, head);
      return head;
    },
    set(execution, head, append) {
      heads.set(execution, head);
      changed.add(execution);
      appends.set(execution, append);
    },
    newest: (execution) => appends.get(execution),
    flush() {
      for (const execution of changed) {
        const head = heads.get(execution);
        if (head !== undefined) update.run(head.position, head.hash, head.id);
      }
      changed.clear();
    },
    forget() {
      heads.clear();
      changed.clear();
      appends.clear();
    },
  };
}
