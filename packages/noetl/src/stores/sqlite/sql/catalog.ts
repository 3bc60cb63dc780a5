import type { Instant } from '@noetl/engine';
import type { Original } from '@noetl/playbook';
import type { CatalogEntry } from '../../../ports/catalog.ts';
import type { Database } from '../driver/database.ts';
import { asBytes, jsonOf, type StoredText, textOf } from './stored-text.ts';

interface Row {
  readonly path: StoredText;
  readonly version: number;
  /** As JSON: texts are kept whatever is in them. */
  readonly text: StoredText;
  /** As JSON, or null. */
  readonly original: StoredText;
  readonly content_hash: StoredText;
  readonly registered_at: Instant;
}

const COLUMNS = `version, registered_at, ${asBytes('path', 'text', 'original', 'content_hash')}`;

export function catalogOperations(database: Database) {
  const newest = database.prepare<Row>(`SELECT ${COLUMNS} FROM catalog WHERE path = ? ORDER BY version DESC LIMIT 1`);
  const versioned = database.prepare<Row>(`SELECT ${COLUMNS} FROM catalog WHERE path = ? AND version = ?`);
  const hashed = database.prepare<Row>(`SELECT ${COLUMNS} FROM catalog WHERE content_hash = ? LIMIT 1`);
  const history = database.prepare<Row>(
    `SELECT ${COLUMNS} FROM catalog WHERE path = ? AND version < ? ORDER BY version DESC LIMIT ?`,
  );
  const list = database.prepare<Row>(
    `SELECT ${COLUMNS} FROM catalog AS entry WHERE path > ?
       AND version = (SELECT max(version) FROM catalog WHERE path = entry.path) ORDER BY path LIMIT ?`,
  );
  const insert = database.prepare(
    'INSERT INTO catalog (path, version, text, original, content_hash, registered_at) VALUES (?, ?, ?, ?, ?, ?)',
  );

  return {
    reads: {
      playbook: (path: string, version?: number): CatalogEntry | undefined =>
        entryOf(version === undefined ? newest.get(path) : versioned.get(path, version)),
      playbookByHash: (contentHash: string): CatalogEntry | undefined => entryOf(hashed.get(contentHash)),
      playbooks: (after: string, limit: number): readonly CatalogEntry[] => list.all(after, limit).flatMap(entriesOf),
      playbookHistory: (path: string, before: number | undefined, limit: number): readonly CatalogEntry[] =>
        history.all(path, before ?? Number.MAX_SAFE_INTEGER, limit).flatMap(entriesOf),
    },
    writes: {
      register: (path: string, text: string, contentHash: string, now: Instant, original?: Original): CatalogEntry => {
        const last = entryOf(newest.get(path));
        if (last?.contentHash === contentHash) return last;
        const version = (last?.version ?? 0) + 1;
        const authored = original === undefined ? null : JSON.stringify(original);
        insert.run(path, version, JSON.stringify(text), authored, contentHash, now);
        return { path, version, text, contentHash, registeredAt: now, ...(original && { original }) };
      },
    },
  };
}

const entryOf = (row: Row | undefined): CatalogEntry | undefined => (row === undefined ? undefined : entriesOf(row)[0]);

const entriesOf = (row: Row): readonly [CatalogEntry] => [
  {
    path: textOf(row.path, 'catalog.path'),
    version: row.version,
    text: jsonOf(row.text, 'catalog.text'),
    contentHash: textOf(row.content_hash, 'catalog.content_hash'),
    registeredAt: row.registered_at,
    ...(row.original === null ? {} : { original: jsonOf<Original>(row.original, 'catalog.original') }),
  },
];
