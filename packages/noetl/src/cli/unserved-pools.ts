import type { Pool } from '../api/workers.ts';
import { isUnserved } from '../server/pools.ts';

/**
 * Looks at pools again and again, and tells of each that work has waited for since the last look and that no worker is of:
 * once, until somebody is.
 */
export function unservedPools(tell: (pool: Pool) => void): (pools: readonly Pool[]) => void {
  let before: ReadonlySet<string> = new Set();
  const told = new Set<string>();
  return (pools) => {
    const unserved = pools.filter(isUnserved);
    const names = new Set(unserved.map(({ pool }) => pool));
    for (const pool of told) if (!names.has(pool)) told.delete(pool);
    for (const pool of unserved) {
      if (!before.has(pool.pool) || told.has(pool.pool)) continue;
      told.add(pool.pool);
      tell(pool);
    }
    before = names;
  };
}
