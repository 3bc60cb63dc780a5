import { controlInputsContract } from '../../ports/control-inputs.contract.testing.ts';
import { driversContract } from '../../ports/drivers.contract.testing.ts';
import { eventLogContract } from '../../ports/event-log.contract.testing.ts';
import { executionsContract } from '../../ports/executions.contract.testing.ts';
import { toolLogsContract } from '../../ports/tool-logs.contract.testing.ts';
import { createVirtualClock } from '../../ports/virtual-clock.testing.ts';
import { createMemoryStore } from './store.ts';

async function open() {
  const clock = createVirtualClock();
  const histories = new Map<string, string[]>();
  const store = createMemoryStore(clock, histories);
  return {
    store,
    log: store.log,
    inputs: store.inputs,
    logs: store.toolLogs,
    pass: async (milliseconds: number) => clock.advanceTo(clock.now() + milliseconds),
    tamper: async (execution: string, seq: number, text: string | undefined) => {
      histories.get(execution)?.splice(seq - 1, 1, ...(text === undefined ? [] : [text]));
    },
    close: store.close,
  };
}

eventLogContract('memory store', open);
executionsContract('memory', open);
controlInputsContract('memory', open);
driversContract('memory', open);
toolLogsContract('memory', open);
