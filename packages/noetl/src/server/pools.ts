import type { Pool } from '../api/workers.ts';
import { DEFAULT_POOL, isOfPool, type PoolMember } from './worker-pool.ts';

/** Every pool that work waits for or that workers are of: who is there for it, and how much waits. */
export function poolsOf(
  waiting: ReadonlyMap<string, number>,
  workers: readonly (PoolMember & Pick<Pool, 'slots'>)[],
): readonly Pool[] {
  const sizes = new Map<string, number>(workers.map(({ pool }) => [pool, 0]));
  for (const [wanted, size] of waiting) {
    const pool = wanted === '' ? DEFAULT_POOL : wanted;
    if (size > 0 || sizes.has(pool)) sizes.set(pool, (sizes.get(pool) ?? 0) + size);
  }
  return [...sizes].map(([pool, size]) => {
    const members = workers.filter((worker) => isOfPool(worker, pool));
    return {
      pool,
      workers: members.length,
      slots: members.reduce((sum, { slots }) => sum + slots, 0),
      waiting: size,
    };
  });
}

/** Whether work waits that nobody will do. */
export const isUnserved = ({ waiting, workers }: Pool): boolean => waiting > 0 && workers === 0;
