import type { EventLog } from '../ports/event-log.ts';

/**
 * The log as a driver writes to it: once another process has taken it for dead, nothing is taken from it, and it is told.
 * What it begins it drives, from the first event on; `begins` says whether it is to.
 */
export const fencedLog = (
  log: EventLog,
  driver: string,
  lost: () => void,
  begins: (execution: string) => boolean = () => false,
): EventLog => ({
  ...log,
  append: async (batch) => {
    const answers = await log.append(
      batch.map((append) => ({ ...append, driver, takes: append.expected === 0 && begins(append.execution) })),
    );
    if (answers.some(({ kind }) => kind === 'lost')) lost();
    return answers;
  },
});
