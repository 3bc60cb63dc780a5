import { type ExecutionFacts, UNKNOWN_FACTS } from '../../../ports/execution-facts.ts';
import type { Database, SqlValue } from '../driver/database.ts';

/** A row of `executions`. */
export interface FactsRow {
  readonly id: number;
  readonly execution_id: string;
  readonly position: number;
  readonly hash: string;
  readonly path: string;
  /** As JSON, because it may be a text or a number. */
  readonly version: string;
  readonly content_hash: string;
  readonly parent: string | null;
  readonly origin: string | null;
  readonly origin_position: number | null;
  readonly status: ExecutionFacts['status'];
  readonly requested_at: number;
  readonly ended_at: number | null;
}

/** The rows of executions, as appends write them. */
export interface FactsTable {
  /** The new row. */
  add(execution: string): number;
  change(id: number, changes: Partial<ExecutionFacts>): void;
}

export function createFactsTable(database: Database): FactsTable {
  const insert = database.prepare(
    `INSERT INTO executions (execution_id, position, hash, path, version, content_hash, parent, origin, origin_position,
     status, requested_at, ended_at) VALUES (?, 0, '', ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const select = database.prepare<FactsRow>('SELECT * FROM executions WHERE id = ?');
  const update = database.prepare(
    `UPDATE executions SET path = ?, version = ?, content_hash = ?, parent = ?, origin = ?, origin_position = ?,
     status = ?, requested_at = ?, ended_at = ? WHERE id = ?`,
  );
  return {
    add: (execution) => insert.run(execution, ...valuesOf(UNKNOWN_FACTS)).lastId,
    change: (id, changes) => {
      const row = select.get(id);
      if (row !== undefined) update.run(...valuesOf({ ...factsOf(row), ...changes }), id);
    },
  };
}

const valuesOf = (facts: ExecutionFacts): readonly SqlValue[] => [
  facts.path,
  JSON.stringify(facts.version),
  facts.contentHash,
  facts.parent ?? null,
  facts.origin?.execution ?? null,
  facts.origin?.position ?? null,
  facts.status,
  facts.requestedAt,
  facts.endedAt ?? null,
];

export const factsOf = (row: FactsRow): ExecutionFacts => ({
  path: row.path,
  version: JSON.parse(row.version),
  contentHash: row.content_hash,
  parent: row.parent ?? undefined,
  origin: row.origin === null ? undefined : { execution: row.origin, position: row.origin_position ?? 0 },
  status: row.status,
  requestedAt: row.requested_at,
  endedAt: row.ended_at ?? undefined,
});
