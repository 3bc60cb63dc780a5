import { controlInputsContract } from '../../ports/control-inputs.contract.testing.ts';
import { driversContract } from '../../ports/drivers.contract.testing.ts';
import { eventLogContract } from '../../ports/event-log.contract.testing.ts';
import { executionsContract } from '../../ports/executions.contract.testing.ts';
import { inspectionContract } from '../../ports/inspection.contract.testing.ts';
import { snapshotsContract } from '../../ports/snapshots.contract.testing.ts';
import { toolLogsContract } from '../../ports/tool-logs.contract.testing.ts';
import { createVirtualClock } from '../../ports/virtual-clock.testing.ts';
import type { StampedSnapshot } from './snapshots.ts';
import { createMemoryStore } from './store.ts';

async function open() {
  const clock = createVirtualClock();
  const histories = new Map<string, string[]>();
  const snapshots = new Map<string, readonly StampedSnapshot[]>();
  const store = createMemoryStore(clock, histories, snapshots);
  return {
    store,
    log: store.log,
    inputs: store.inputs,
    logs: store.toolLogs,
    pass: async (milliseconds: number) => clock.advanceTo(clock.now() + milliseconds),
    tamper: async (execution: string, seq: number, text: string | undefined) => {
      histories.get(execution)?.splice(seq - 1, 1, ...(text === undefined ? [] : [text]));
    },
    damage: async (execution: string, position: number, part: string, value: string | number) => {
      const kept = snapshots.get(execution) ?? [];
      const changed = kept.map((one) => (one.position === position ? { ...one, [part]: value } : one));
      snapshots.set(execution, changed);
    },
    clear: async () => snapshots.clear(),
    close: store.close,
  };
}

eventLogContract('memory store', open);
executionsContract('memory', open);
controlInputsContract('memory', open);
driversContract('memory', open);
toolLogsContract('memory', open);
snapshotsContract('memory', open);
inspectionContract('memory', open);
