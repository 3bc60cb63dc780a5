import type { ExecutionEntry, ExecutionFilter } from '../../../ports/executions.ts';
import type { Database } from '../driver/database.ts';
import { type FactsRow, factsOf } from './facts.ts';
import type { Heads } from './heads.ts';

export function executionOperations(database: Database, heads: Heads) {
  const get = database.prepare<FactsRow>('SELECT * FROM executions WHERE execution_id = ?');
  const unfinished = database.prepare<FactsRow>(
    'SELECT * FROM executions WHERE ended_at IS NULL AND id > ? ORDER BY id LIMIT ?',
  );
  const listBy = (condition: string) =>
    database.prepare<FactsRow>(`SELECT * FROM executions WHERE ${condition} AND id < ? ORDER BY id DESC LIMIT ?`);
  const listAll = listBy('true');
  const listStatus = listBy('status = ?');
  const listPath = listBy('path = ?');
  const listBoth = listBy('status = ? AND path = ?');
  function rows({ status, path }: ExecutionFilter, before: number, limit: number): readonly FactsRow[] {
    if (status !== undefined && path !== undefined) return listBoth.all(status, path, before, limit);
    if (status !== undefined) return listStatus.all(status, before, limit);
    return path === undefined ? listAll.all(before, limit) : listPath.all(path, before, limit);
  }

  return {
    reads: {
      execution: (execution: string): ExecutionEntry | undefined => {
        heads.flush();
        const row = get.get(execution);
        return row === undefined ? undefined : entryOf(row);
      },
      executions: (filter: ExecutionFilter, before: number | undefined, limit: number): readonly ExecutionEntry[] => {
        heads.flush();
        return rows(filter, before ?? Number.MAX_SAFE_INTEGER, limit).map(entryOf);
      },
      unfinished: (after: number, limit: number): readonly ExecutionEntry[] => {
        heads.flush();
        return unfinished.all(after, limit).map(entryOf);
      },
    },
  };
}

const entryOf = (row: FactsRow): ExecutionEntry => ({
  ...factsOf(row),
  execution: row.execution_id,
  number: row.id,
  position: row.position,
  hash: row.hash,
});
