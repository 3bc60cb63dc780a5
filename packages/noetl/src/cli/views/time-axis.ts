/** The marks of an axis that begins at 0: round numbers of milliseconds, at most so many. */
export function timeMarks(length: number, most: number): readonly number[] {
  const step = STEPS.find((candidate) => length / candidate <= most) ?? days(length, most);
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, at) => at * step);
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  DAY,
];

function days(length: number, most: number): number {
  let step = DAY;
  while (length / step > most) step *= 2;
  return step;
}

/** `0`, `500 ms`, `2.5 s`, `10 min`: as short as it is exact. */
export function markText(ms: number): string {
  if (ms === 0) return '0';
  if (ms % DAY === 0) return `${ms / DAY} d`;
  if (ms % HOUR === 0) return `${ms / HOUR} h`;
  if (ms % MINUTE === 0) return `${ms / MINUTE} min`;
  return ms >= SECOND ? `${ms / SECOND} s` : `${ms} ms`;
}
