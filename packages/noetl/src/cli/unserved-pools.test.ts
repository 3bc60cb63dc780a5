import { expect, it } from 'vitest';
import { unservedPools } from './unserved-pools.ts';

it('is told of once when work still waits at the next look, and again after somebody was there', () => {
  const told: string[] = [];
  const look = unservedPools(({ pool, waiting }) => told.push(`${pool} ${waiting}`));
  const gpu = (workers: number) => [{ pool: 'gpu', workers, slots: workers, waiting: 2 }];
  look(gpu(0));
  expect(told).toEqual([]);
  look(gpu(0));
  look(gpu(0));
  expect(told).toEqual(['gpu 2']);
  look(gpu(1));
  look(gpu(0));
  look(gpu(0));
  expect(told).toEqual(['gpu 2', 'gpu 2']);
});
