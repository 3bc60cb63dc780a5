import type { Clock } from '../../ports/clock.ts';
import type { Drivers } from '../../ports/drivers.ts';
import type { Call } from './call.ts';

export function createSqliteDrivers(call: Call, keepAlive: Drivers['keepAlive'], clock: Clock): Drivers {
  return {
    beat: (driver, ttl) => call('beat', driver, ttl, clock.now()),
    keepAlive,
    drive: (id, executions) => call('drive', id, executions, clock.now()),
    leave: (id, executions) => call('leave', id, executions),
    retire: (id) => call('retire', id),
    bury: (ids) => call('bury', ids),
    driverOf: (execution) => call('driverOf', execution, clock.now()),
    processes: () => call('processes', clock.now()),
  };
}
