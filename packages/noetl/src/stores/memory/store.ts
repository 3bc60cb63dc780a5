import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { createMemoryAudit } from './audit.ts';
import { createMemoryCatalog } from './catalog.ts';
import { createMemoryControlInputs } from './control-inputs.ts';
import { createMemoryDrivers } from './drivers.ts';
import { createMemoryEventLog } from './event-log.ts';
import { createMemoryExecutions } from './executions.ts';
import { createMemoryInspection } from './inspection.ts';
import { createMemoryLeases } from './leases.ts';
import { createMemorySecrets } from './secret-store.ts';
import { createMemorySnapshots, type StampedSnapshot } from './snapshots.ts';
import { createMemoryTokens } from './tokens.ts';
import { createMemoryToolLogs } from './tool-logs.ts';

/** A store that lives as long as the process. `histories` are the events' texts, by execution. */
export function createMemoryStore(
  clock: Clock,
  histories: Map<string, string[]> = new Map(),
  snapshots: Map<string, readonly StampedSnapshot[]> = new Map(),
): Store {
  const leases = createMemoryLeases(clock);
  const executions = createMemoryExecutions();
  const { note, hashAt, forget, ...index } = executions;
  const { drivers, isKnown, take, stopAll } = createMemoryDrivers(clock, leases.giveBackOf);
  const loops = new Map<string, number[]>();
  return {
    log: createMemoryEventLog(clock, { leases, histories, loops, note, isKnown, take }),
    executions: {
      ...index,
      remove: async (execution) => {
        if (!forget(execution)) return false;
        histories.delete(execution);
        snapshots.delete(execution);
        for (const loop of [...loops.keys()]) if (loop.startsWith(`${execution}:`)) loops.delete(loop);
        return true;
      },
    },
    catalog: createMemoryCatalog(),
    inputs: createMemoryControlInputs(),
    snapshots: createMemorySnapshots(hashAt, snapshots),
    drivers,
    inspection: createMemoryInspection({ histories, loops, hashAt }),
    toolLogs: createMemoryToolLogs(),
    secrets: createMemorySecrets(),
    tokens: createMemoryTokens(),
    audit: createMemoryAudit(),
    close: async () => stopAll(),
  };
}
