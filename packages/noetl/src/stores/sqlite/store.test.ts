import { controlInputsContract } from '../../ports/control-inputs.contract.testing.ts';
import { driversContract } from '../../ports/drivers.contract.testing.ts';
import { executionsContract } from '../../ports/executions.contract.testing.ts';
import { inspectionContract } from '../../ports/inspection.contract.testing.ts';
import { snapshotsContract } from '../../ports/snapshots.contract.testing.ts';
import { toolLogsContract } from '../../ports/tool-logs.contract.testing.ts';
import type { SqlValue } from './driver/database.ts';
import { openDatabase } from './driver/open-database.ts';
import { openStore, WAYS } from './opened-store.testing.ts';
import type { EventRow } from './sql/event-rows.ts';

/** Behind the store's back, with a connection of its own. */
async function tamper(file: string, execution: string, seq: number, text: string | undefined): Promise<void> {
  const database = await openDatabase(file);
  const row = database
    .prepare<EventRow & { readonly gid: number }>(
      `SELECT events.* FROM events JOIN executions ON executions.id = events.execution
       WHERE execution_id = ? AND ? BETWEEN first AND last`,
    )
    .get(execution, seq);
  if (row === undefined) throw new Error(`there is no event ${seq} of ${execution}`);
  const bodies = row.bodies.split(',\n').toSpliced(seq - row.first, 1, ...(text === undefined ? [] : [text]));
  database.prepare('UPDATE events SET bodies = ? WHERE gid = ?').run(bodies.join(',\n'), row.gid);
  database.close();
}

async function change(file: string, sql: string, ...values: readonly SqlValue[]): Promise<void> {
  const database = await openDatabase(file);
  database.prepare(sql).run(...values);
  database.close();
}

const OF_EXECUTION = 'execution = (SELECT id FROM executions WHERE execution_id = ?)';

for (const name of ['sqlite in place', 'sqlite, two on one folder']) {
  const open = async () => {
    const { store, file, pass, close } = await openStore(WAYS[name]);
    return {
      store,
      inputs: store.inputs,
      logs: store.toolLogs,
      pass,
      tamper: (execution: string, seq: number, text: string | undefined) => tamper(file, execution, seq, text),
      damage: (execution: string, position: number, part: string, value: string | number) =>
        change(
          file,
          `UPDATE snapshots SET ${part} = ? WHERE ${OF_EXECUTION} AND position = ?`,
          value,
          execution,
          position,
        ),
      clear: () => change(file, 'DELETE FROM snapshots'),
      unlist: (execution: string, seq: number) =>
        change(
          file,
          `DELETE FROM milestones WHERE ${OF_EXECUTION} AND last >= ? AND last < ? + 32`,
          execution,
          seq,
          seq,
        ),
      close,
    };
  };
  executionsContract(name, open);
  controlInputsContract(name, open);
  driversContract(name, open);
  inspectionContract(name, open);
  snapshotsContract(name, open);
  toolLogsContract(name, open);
}
