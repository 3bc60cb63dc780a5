import { InvalidArgumentError } from 'commander';

const MINUTE = 60_000;
const UNITS: Readonly<Record<string, number>> = {
  m: MINUTE,
  h: 60 * MINUTE,
  d: 24 * 60 * MINUTE,
  w: 7 * 24 * 60 * MINUTE,
};

/** `30d`, in milliseconds. */
export function durationOption(value: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(value) ?? [];
  if (count === undefined) throw new InvalidArgumentError('expected a time like 30d, 12h, 90m or 2w.');
  return Number(count) * (UNITS[unit] ?? 0);
}
