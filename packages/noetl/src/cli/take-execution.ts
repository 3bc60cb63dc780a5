import type { Drivers, Taking } from '../ports/drivers.ts';
import { buryDead } from './bury-dead.ts';
import type { Machine } from './machine.ts';
import { isMomentary } from './momentary-driver.ts';
import { pause } from './pause.ts';

/** How often somebody who drives only for a moment is looked after, in milliseconds. */
const LOOK = 20;

/** Takes an execution for a driver. Who has it only for a moment is waited for; who drives it to its end keeps it. */
export async function takeExecution(
  driver: string,
  execution: string,
  drivers: Drivers,
  machine: Pick<Machine, 'isAlive'>,
): Promise<Taking> {
  for (;;) {
    const [taking = 'refused'] = await drivers.drive(driver, [execution]);
    if (taking !== 'refused') return taking;
    const other = await drivers.driverOf(execution);
    if (other !== undefined && !isMomentary(other.id)) return 'refused';
    await pause(LOOK);
    await buryDead(drivers, machine);
  }
}
