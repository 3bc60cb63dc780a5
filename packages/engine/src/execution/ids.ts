/**
 * Ids are derived from their cause (ENG-1), so that a repeated decision gives the same ones and a fork gets its own:
 *
 *   event      `<execution>:<seq>`
 *   step run   `<execution>:<run>`            run = the count of step runs when it was scheduled
 *   iteration  `<execution>:<run>:<i>.<j>`    i = index in the loop, j = index in its inner loop
 *   task run   `<step run or iteration>:<label>:<visit>`
 */

/** A piece of work that a worker can lease: a step run, or an iteration of its loops by index, outermost first. */
export interface Work {
  readonly run: number;
  readonly path: readonly number[];
}

export const eventId = (execution: string, seq: number): string => `${execution}:${seq}`;

export const stepRunId = (execution: string, run: number): string => `${execution}:${run}`;

export const iterationId = (execution: string, { run, path }: Work): string => `${execution}:${run}:${path.join('.')}`;

export const taskRunId = (execution: string, work: Work, label: string, visit: number): string =>
  `${workId(execution, work)}:${label}:${visit}`;

export const workId = (execution: string, work: Work): string =>
  work.path.length === 0 ? stepRunId(execution, work.run) : iterationId(execution, work);

/** The work without its execution, as events list it. */
export const workKey = ({ run, path }: Work): string => (path.length === 0 ? `${run}` : `${run}:${path.join('.')}`);

export function workOfKey(key: string): Work {
  const [run = '', path] = key.split(':');
  return { run: Number(run), path: path === undefined ? [] : path.split('.').map(Number) };
}

/** The id of a child execution: one per attempt of the task that calls it. */
export const childId = (execution: string, work: Work, position: number, visit: number, attempt: number): string =>
  [execution, work.run, ...work.path, position, visit, attempt].join('-');
