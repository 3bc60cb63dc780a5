import type { LiveDriver } from '../../../ports/drivers.ts';
import type { DataFolder } from '../../data-folder.ts';
import type { Machine } from '../../machine.ts';

/** The process that drives an execution, or the one that called it; undefined if none does, or it is dead. */
export async function liveDriverOf(
  execution: string,
  { store: { drivers, executions }, remote }: Pick<DataFolder, 'store' | 'remote'>,
  { isAlive }: Pick<Machine, 'isAlive'>,
): Promise<LiveDriver | undefined> {
  for (let id: string | undefined = execution; id !== undefined; ) {
    const driver = await drivers.driverOf(id);
    if (driver !== undefined && driver.remaining > 0 && (remote !== undefined || isAlive(driver.pid, driver.startedAt)))
      return driver;
    id = (await executions.get(id))?.parent;
  }
  return undefined;
}
