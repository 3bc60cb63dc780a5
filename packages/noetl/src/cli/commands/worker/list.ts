import { EXIT, type ExitCode } from '../../exit-code.ts';
import type { Machine } from '../../machine.ts';
import type { Terminal } from '../../terminal.ts';
import { unservedText, workerTable } from '../../views/worker-list.ts';
import { type NamedWorkerServer, workerServer, workersOf } from './worker-server.ts';

export interface WorkerListOptions extends NamedWorkerServer {
  readonly json: boolean;
}

/** Lists the workers that a server has heard of lately. */
export async function workerList(
  { json, ...named }: WorkerListOptions,
  terminal: Terminal,
  machine: Machine,
): Promise<ExitCode> {
  const asked = workersOf(await workerServer(named, machine));
  const { workers } = await asked.list();
  if (json) terminal.print(`${JSON.stringify(workers)}\n`);
  else {
    const { pools } = await asked.pools();
    terminal.print(`${workerTable(workers, terminal.color)}${unservedText(pools)}`);
  }
  return EXIT.ok;
}
