import { controlInputsContract } from '../../ports/control-inputs.contract.testing.ts';
import { driversContract } from '../../ports/drivers.contract.testing.ts';
import { executionsContract } from '../../ports/executions.contract.testing.ts';
import { toolLogsContract } from '../../ports/tool-logs.contract.testing.ts';
import { openDatabase } from './driver/open-database.ts';
import { openStore, WAYS } from './opened-store.testing.ts';

/** Behind the store's back, with a connection of its own. */
async function tamper(file: string, execution: string, seq: number, text: string | undefined): Promise<void> {
  const database = await openDatabase(file);
  const which = 'execution = (SELECT id FROM executions WHERE execution_id = ?) AND seq = ?';
  if (text === undefined) database.prepare(`DELETE FROM events WHERE ${which}`).run(execution, seq);
  else database.prepare(`UPDATE events SET body = ? WHERE ${which}`).run(text, execution, seq);
  database.close();
}

for (const name of ['sqlite in place', 'sqlite, two on one folder']) {
  const open = async () => {
    const { store, file, pass, close } = await openStore(WAYS[name]);
    return {
      store,
      inputs: store.inputs,
      logs: store.toolLogs,
      pass,
      tamper: (execution: string, seq: number, text: string | undefined) => tamper(file, execution, seq, text),
      close,
    };
  };
  executionsContract(name, open);
  controlInputsContract(name, open);
  driversContract(name, open);
  toolLogsContract(name, open);
}
