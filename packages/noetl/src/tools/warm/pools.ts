import { availableParallelism } from 'node:os';
import type { ProcessGroups } from '../process/process-groups.ts';
import type { ToolLimits } from '../tool-host.ts';
import { openWarmPool, type WarmPool } from './warm-pool.ts';
import { startWarmProcess, type WarmCommand } from './warm-process.ts';

export interface Pools {
  /** The pool of processes started like this; they share all of that, never a call's values. */
  get(command: Omit<WarmCommand, 'answerLimit'>): WarmPool;
  close(): Promise<void>;
}

/** Pools that keep idle processes: those used last. Tasks with settings of their own must not fill the machine. */
const AWAKE = 6;

/** One pool for each program with its settings, folder and environment. */
export function openPools(groups: ProcessGroups, limits: ToolLimits): Pools {
  const pools = new Map<string, WarmPool>();
  const environments = new WeakMap<WarmCommand['env'], number>();
  let environmentCount = 0;
  const numberOf = (env: WarmCommand['env']): number => {
    const known = environments.get(env) ?? ++environmentCount;
    environments.set(env, known);
    return known;
  };
  return {
    get: (command) => {
      const key = `${command.program}\0${command.settings}\0${command.cwd}\0${numberOf(command.env)}`;
      const known = pools.get(key);
      if (known !== undefined) {
        pools.delete(key);
        pools.set(key, known);
        return known;
      }
      const pool = openWarmPool({
        start: () => startWarmProcess(groups, { ...command, answerLimit: limits.resultBytes * 2 }),
        eager: Math.min(availableParallelism(), limits.processes),
        most: limits.processes,
        callsPerProcess: limits.callsPerProcess,
      });
      pools.set(key, pool);
      for (const unused of [...pools.values()].slice(0, -AWAKE)) unused.rest();
      return pool;
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
      pools.clear();
    },
  };
}
