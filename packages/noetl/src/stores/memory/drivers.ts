import type { Instant } from '@noetl/engine';
import { keptAliveByClock } from '../../keep-alive.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DriverProcess, Drivers, LiveDriver, Taking } from '../../ports/drivers.ts';

interface Known {
  readonly driver: DriverProcess;
  readonly until: Instant;
}

/** Stands for the driver of an execution that has died. */
const DEAD = '';

/** Drivers that live as long as the process. `giveBack` ends the leases that a worker has on work of an execution. */
export function createMemoryDrivers(
  clock: Clock,
  giveBack: (execution: string, worker: string) => void,
): {
  readonly drivers: Drivers;
  isKnown(id: string): boolean;
  take(execution: string, id: string): void;
  stopAll(): void;
} {
  const known = new Map<string, Known>();
  const buried = new Set<string>();
  const driverOf = new Map<string, string>();

  const live = ({ driver, until }: Known): LiveDriver => ({ ...driver, remaining: until - clock.now() });

  function end(id: string, free: (execution: string, id: string) => void): void {
    buried.add(id);
    known.delete(id);
    for (const [execution, driver] of driverOf) if (driver === id) free(execution, id);
  }

  function leave(execution: string, id: string): void {
    driverOf.delete(execution);
    giveBack(execution, id);
  }

  function orphan(execution: string, id: string): void {
    driverOf.set(execution, DEAD);
    giveBack(execution, id);
  }

  function drive(id: string, execution: string): Taking {
    if (!known.has(id)) return 'refused';
    const before = driverOf.get(execution);
    const isOther = before !== undefined && before !== id;
    if (isOther && before !== DEAD) {
      if ((known.get(before)?.until ?? 0) > clock.now()) return 'refused';
      end(before, orphan);
    }
    driverOf.set(execution, id);
    return isOther ? 'taken over' : 'taken';
  }

  const beat: Drivers['beat'] = async (driver, ttl) => {
    if (buried.has(driver.id)) return 'lost';
    known.set(driver.id, { driver, until: clock.now() + ttl });
    return 'alive';
  };
  const { keepAlive, stopAll } = keptAliveByClock(clock, beat);

  const drivers: Drivers = {
    beat,
    keepAlive,
    drive: async (id, executions) => executions.map((execution) => drive(id, execution)),
    leave: async (id, executions) => {
      for (const execution of executions) if (driverOf.get(execution) === id) leave(execution, id);
    },
    retire: async (id) => end(id, leave),
    bury: async (ids) => {
      for (const id of ids) end(id, orphan);
    },
    driverOf: async (execution) => {
      const entry = known.get(driverOf.get(execution) ?? '');
      return entry === undefined ? undefined : live(entry);
    },
    processes: async () => [...known.values()].map(live),
  };
  return {
    drivers,
    isKnown: (id) => known.has(id),
    take: (execution, id) => {
      driverOf.set(execution, id);
    },
    stopAll,
  };
}
