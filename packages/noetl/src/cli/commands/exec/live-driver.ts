import type { LiveDriver } from '../../../ports/drivers.ts';
import type { Store } from '../../../ports/store.ts';
import type { Machine } from '../../machine.ts';

/** The process that drives an execution, or the one that called it; undefined if none does, or it is dead. */
export async function liveDriverOf(
  execution: string,
  { drivers, executions }: Pick<Store, 'drivers' | 'executions'>,
  { isAlive }: Pick<Machine, 'isAlive'>,
): Promise<LiveDriver | undefined> {
  for (let id: string | undefined = execution; id !== undefined; ) {
    const driver = await drivers.driverOf(id);
    if (driver !== undefined && driver.remaining > 0 && isAlive(driver.pid, driver.startedAt)) return driver;
    id = (await executions.get(id))?.parent;
  }
  return undefined;
}
