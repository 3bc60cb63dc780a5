import type { EventLog } from '../ports/event-log.ts';

/** The log as a driver writes to it: once another process has taken it for dead, nothing is taken from it, and it is told. */
export const fencedLog = (log: EventLog, driver: string, lost: () => void): EventLog => ({
  ...log,
  append: async (batch) => {
    const answers = await log.append(batch.map((append) => ({ ...append, driver })));
    if (answers.some(({ kind }) => kind === 'lost')) lost();
    return answers;
  },
});
