import { expect, it } from 'vitest';
import { isUnserved, poolsOf } from './pools.ts';

const worker = (pool: string, slots: number, labels: Readonly<Record<string, string>> = {}) => ({
  pool,
  slots,
  labels,
});

it('counts for each pool its workers, their slots, and what waits', () => {
  const workers = [worker('default', 4), worker('default', 2, { zone: 'eu' }), worker('gpu', 1)];
  const waiting = new Map([
    ['', 3],
    ['default', 1],
    ['zone=eu', 2],
    ['gpu,disk=ssd', 5],
    ['done', 0],
  ]);
  const pools = poolsOf(waiting, workers);
  expect(pools).toEqual([
    { pool: 'default', workers: 2, slots: 6, waiting: 4 },
    { pool: 'gpu', workers: 1, slots: 1, waiting: 0 },
    { pool: 'zone=eu', workers: 1, slots: 2, waiting: 2 },
    { pool: 'gpu,disk=ssd', workers: 0, slots: 0, waiting: 5 },
  ]);
  expect(pools.filter(isUnserved).map(({ pool }) => pool)).toEqual(['gpu,disk=ssd']);
});
