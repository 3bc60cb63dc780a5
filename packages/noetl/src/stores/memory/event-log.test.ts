import { eventLogContract } from '../../ports/event-log.contract.testing.ts';
import { createVirtualClock } from '../../ports/virtual-clock.testing.ts';
import { createMemoryEventLog } from './event-log.ts';

eventLogContract('memory', async () => {
  const clock = createVirtualClock();
  return {
    log: createMemoryEventLog(clock),
    pass: async (milliseconds) => clock.advanceTo(clock.now() + milliseconds),
    close: async () => undefined,
  };
});
