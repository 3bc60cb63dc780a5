import type { Instant } from '@noetl/engine';
import type { ControlEntry, LeftInput } from '../../../ports/control-inputs.ts';
import type { Database } from '../driver/database.ts';
import { asBytes, jsonOf, type StoredText, textOf } from './stored-text.ts';

interface Row {
  readonly id: number;
  readonly execution_id: StoredText;
  readonly body: StoredText;
  readonly left_at: Instant;
}

const COLUMNS = `id, left_at, ${asBytes('execution_id', 'body')}`;

export function controlInputOperations(database: Database) {
  const insert = database.prepare('INSERT INTO control_inputs (execution_id, body, left_at) VALUES (?, ?, ?)');
  const all = database.prepare<Row>(`SELECT ${COLUMNS} FROM control_inputs WHERE id > ? ORDER BY id LIMIT ?`);
  const of = database.prepare<Row>(
    `SELECT ${COLUMNS} FROM control_inputs WHERE execution_id = ? AND id > ? ORDER BY id LIMIT ?`,
  );
  const remove = database.prepare('DELETE FROM control_inputs WHERE id = ?');

  return {
    reads: {
      controlInputs: (after: number, limit: number, execution?: string): readonly ControlEntry[] =>
        (execution === undefined ? all.all(after, limit) : of.all(execution, after, limit)).map(entryOf),
    },
    writes: {
      putControlInput: (execution: string, input: LeftInput, now: Instant): number =>
        insert.run(execution, JSON.stringify(input), now).lastId,
      deleteControlInputs: (ids: readonly number[]): void => {
        for (const id of ids) remove.run(id);
      },
    },
  };
}

const entryOf = ({ id, execution_id, body, left_at }: Row): ControlEntry => ({
  id,
  execution: textOf(execution_id, 'control_inputs.execution_id'),
  input: jsonOf(body, 'control_inputs.body'),
  leftAt: left_at,
});
