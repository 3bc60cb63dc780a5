import type { ChainVerdict, ExecutionEntry, ExecutionFilter } from '../../../ports/executions.ts';
import type { Database } from '../driver/database.ts';
import { breakIn, type EventRow, lastHashIn } from './event-rows.ts';
import { type FactsRow, factsOf } from './facts.ts';
import type { Heads } from './heads.ts';

/** How far a verification has come. */
export interface ChainProgress {
  readonly position: number;
  readonly hash: string;
}

/** Rows that are verified in one go: others want to be served in between. */
const PAGE = 200;

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
  const chain = database.prepare<EventRow>(
    'SELECT first, last, hashes, bodies FROM events WHERE execution = ? AND last > ? ORDER BY last LIMIT ?',
  );

  function rows({ status, path }: ExecutionFilter, before: number, limit: number): readonly FactsRow[] {
    if (status !== undefined && path !== undefined) return listBoth.all(status, path, before, limit);
    if (status !== undefined) return listStatus.all(status, before, limit);
    return path === undefined ? listAll.all(before, limit) : listPath.all(path, before, limit);
  }

  /** The verdict, or from where to go on. */
  function verify(execution: string, from: ChainProgress): ChainVerdict | ChainProgress {
    const head = heads.get(execution);
    if (head === undefined) return { kind: 'intact', position: 0, hash: '' };
    let { position, hash } = from;
    const page = chain.all(head.id, position, PAGE);
    for (const row of page) {
      const broken = breakIn(row, position, hash);
      if (broken !== undefined) return { kind: 'broken', position: broken };
      position = row.last;
      hash = lastHashIn(row);
    }
    if (page.length === PAGE) return { position, hash };
    if (position === head.position && hash === head.hash) return { kind: 'intact', position, hash };
    // A log that is too short lacks the next event; one that is too long, or ends otherwise, has a last one too many.
    return { kind: 'broken', position: position < head.position ? position + 1 : position };
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
      verify,
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
