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

/** An id by the number in it that counts: the innermost index of work, or that of the work that called a child. */
const COUNTED = /^(|.*?[:.-])(\d+)((?:-\d+-\d+-\d+)?)$/;
const RANGE = /^(|.*?[:.-])(\d+)\.\.(\d+)((?:-\d+-\d+-\d+)?)$/;

/** RES-1: a list of ids as events carry it: three or more that follow each other are one range, such as `1:0..11999`. */
export function packed(ids: readonly string[]): readonly string[] {
  const list: string[] = [];
  for (let at = 0; at < ids.length; ) {
    const length = rangeAt(ids, at);
    const [first = '', last = ''] = [ids[at], ids[at + length - 1]];
    if (length < 3) list.push(...ids.slice(at, at + length));
    else list.push(first.replace(COUNTED, `$1$2..${COUNTED.exec(last)?.[2]}$3`));
    at += length;
  }
  return list;
}

function rangeAt(ids: readonly string[], at: number): number {
  const [, before = '', number = '', after = ''] = COUNTED.exec(ids[at] ?? '') ?? [];
  let length = 1;
  if (number === '') return length;
  while (ids[at + length] === `${before}${Number(number) + length}${after}`) length += 1;
  return length;
}

/** The inverse of `packed`. */
export const unpacked = (list: readonly string[]): readonly string[] =>
  list.some(isRange) ? list.flatMap(inRange) : list;

const isRange = (id: string): boolean => id.includes('..');

function inRange(id: string): readonly string[] {
  const [, before = '', from, to, after = ''] = RANGE.exec(id) ?? [];
  if (from === undefined || to === undefined) return [id];
  const count = Math.max(0, Number(to) - Number(from) + 1);
  return Array.from({ length: count }, (_, offset) => `${before}${Number(from) + offset}${after}`);
}

/** The same for tokens, which are numbers. */
export const packedTokens = (ids: readonly number[]): readonly (number | string)[] =>
  packed(ids.map(String)).map((id) => (isRange(id) ? id : Number(id)));

export const unpackedTokens = (list: readonly (number | string)[]): readonly number[] =>
  unpacked(list.map(String)).map(Number);
