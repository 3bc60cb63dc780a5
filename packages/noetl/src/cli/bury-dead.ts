import type { Drivers } from '../ports/drivers.ts';
import type { Machine } from './machine.ts';

/** Who ended without saying so leaves its executions to others. */
export async function buryDead(drivers: Drivers, machine: Pick<Machine, 'isAlive'>): Promise<void> {
  const dead = (await drivers.processes()).filter(({ pid, startedAt }) => !machine.isAlive(pid, startedAt));
  if (dead.length > 0) await drivers.bury(dead.map(({ id }) => id));
}
