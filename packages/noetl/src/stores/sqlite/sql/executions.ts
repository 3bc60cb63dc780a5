import type { ExecutionEntry, ExecutionFilter } from '../../../ports/executions.ts';
import { type Database, SqliteFailure, type Statement } from '../driver/database.ts';
import { FACTS, type FactsRow, factsOf } from './facts.ts';
import type { Heads } from './heads.ts';
import { anyTextOf, textOf } from './stored-text.ts';

export function executionOperations(database: Database, heads: Heads) {
  const get = database.prepare<FactsRow>(`SELECT ${FACTS} FROM executions WHERE execution_id = ?`);
  const unfinished = database.prepare<FactsRow>(
    `SELECT ${FACTS} FROM executions WHERE ended_at IS NULL AND id > ? ORDER BY id LIMIT ?`,
  );
  const ended = database.prepare<{ readonly id: number }>(
    `SELECT id FROM executions WHERE execution_id = ?1 AND ended_at IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM executions WHERE origin = ?1)`,
  );
  const removals = REMOVED.map(([sql, by]) => ({ statement: database.prepare(sql), by }));
  const lists = new Map<string, Statement<FactsRow>>();

  /** The statement for the conditions of a filter, prepared when it is first needed. */
  function listBy(conditions: readonly string[]): Statement<FactsRow> {
    const wanted = `FROM executions WHERE ${[...conditions, 'id < ?'].join(' AND ')} ORDER BY id DESC LIMIT ?`;
    // Paths within another are many, and in no order of ids: only the ids are put in order then, as the index has them.
    const sql = conditions.includes(WITHIN)
      ? `SELECT ${FACTS} FROM executions WHERE id IN (SELECT id ${wanted}) ORDER BY id DESC`
      : `SELECT ${FACTS} ${wanted}`;
    const list = lists.get(sql) ?? database.prepare<FactsRow>(sql);
    lists.set(sql, list);
    return list;
  }

  function rows(filter: ExecutionFilter, before: number, limit: number): readonly FactsRow[] {
    const { status, path, within, parent } = filter;
    const wanted: readonly (readonly [condition: string, ...values: readonly string[]])[] = [
      ...(status === undefined ? [] : [['status = ?', status] as const]),
      ...(path === undefined ? [] : [['path = ?', path] as const]),
      ...(within === undefined ? [] : [[WITHIN, within, ...below(within)] as const]),
      ...(parent === undefined || parent === null ? [] : [['parent = ?', parent] as const]),
    ];
    const conditions = [...wanted.map(([condition]) => condition), ...(parent === null ? ['parent IS NULL'] : [])];
    return listBy(conditions).all(...wanted.flatMap(([, ...values]) => values), before, limit);
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
    writes: {
      removeExecution: (execution: string): boolean => {
        heads.flush();
        const id = ended.get(execution)?.id;
        if (id === undefined) return false;
        for (const { statement, by } of removals) statement.run(by === 'id' ? id : execution);
        heads.forget();
        return true;
      },
    },
  };
}

const WITHIN = '(path = ? OR path >= ? AND path < ?)';

/** From where to where the paths are that go on behind a slash, as bytes are ordered: `0` comes behind `/`. */
function below(path: string): readonly [from: string, to: string] {
  const folder = path.replace(/\/$/, '');
  return [`${folder}/`, `${folder}0`];
}

/** The loops of an execution: their names begin with it and a colon, behind which a semicolon would come. */
const LOOPS = "loop >= ?1 || ':' AND loop < ?1 || ';'";

/** What is kept of an execution, by its row or by its name. */
const REMOVED: readonly (readonly [sql: string, by: 'id' | 'name'])[] = [
  [`DELETE FROM iterations WHERE loop IN (SELECT id FROM loops WHERE ${LOOPS})`, 'name'],
  [`DELETE FROM loops WHERE ${LOOPS}`, 'name'],
  ['DELETE FROM events WHERE execution = ?', 'id'],
  ['DELETE FROM snapshots WHERE execution = ?', 'id'],
  ['DELETE FROM milestones WHERE execution = ?', 'id'],
  ['DELETE FROM leases WHERE execution_id = ?', 'name'],
  ['DELETE FROM control_inputs WHERE execution_id = ?', 'name'],
  ['DELETE FROM drivers WHERE execution_id = ?', 'name'],
  ['DELETE FROM tool_logs WHERE execution_id = ?', 'name'],
  ['DELETE FROM tool_log_sizes WHERE execution_id = ?', 'name'],
  ['DELETE FROM executions WHERE id = ?', 'id'],
];

function entryOf(row: FactsRow): ExecutionEntry {
  try {
    return {
      ...factsOf(row),
      execution: textOf(row.execution_id, 'executions.execution_id'),
      number: row.id,
      position: row.position,
      hash: textOf(row.hash, 'executions.hash'),
    };
  } catch (error) {
    if (!(error instanceof SqliteFailure)) throw error;
    const message = `${error.message}, in the row of the execution '${anyTextOf(row.execution_id)}'`;
    throw new SqliteFailure(error.result, message, { cause: error });
  }
}
