import { type Work, workId } from './ids.ts';

/**
 * The span of something that has an id, as W3C Trace Context writes it: 16 hexadecimal digits, not all zero. It follows from
 * the id (ENG-1), so that a worker, a server that starts again and the server that takes over name the same one: FNV-1a with
 * 64 bits, in two halves, which numbers hold exactly.
 */
export function spanIdOf(id: string): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (let at = 0; at < id.length; at++) {
    low = (low ^ id.charCodeAt(at)) >>> 0;
    const product = low * PRIME_LOW;
    high = (Math.imul(high, PRIME_LOW) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return high === 0 && low === 0 ? '0000000000000001' : `${hex(high)}${hex(low)}`;
}

/** The prime is 2^40 + this. */
const PRIME_LOW = 0x1b3;

const hex = (half: number): string => half.toString(16).padStart(8, '0');

/** How many iterations of a loop have spans, at most; of loops in loops the first of the first, some thousands. */
const TRACED_ITERATIONS = 1_000;

/** Whether an iteration has a span of its own. A loop of a million items would be a trace that nobody can look at. */
export function isTracedPath(path: readonly number[]): boolean {
  let count = 1;
  for (const index of path) count *= index + 1;
  return count <= TRACED_ITERATIONS;
}

/** The span that stands for a task run: its own, or that of the nearest work around it that has one. */
export function taskSpanId(execution: string, work: Work, task: { readonly label: string; readonly visit: number }) {
  const own = workId(execution, work);
  if (isTracedPath(work.path)) return spanIdOf(`${own}:${task.label}:${task.visit}`);
  return spanIdOf(workId(execution, { run: work.run, path: tracedPart(work.path) }));
}

/** The longest beginning of the path that has a span. */
export function tracedPart(path: readonly number[]): readonly number[] {
  let length = path.length;
  while (!isTracedPath(path.slice(0, length))) length -= 1;
  return path.slice(0, length);
}
