import type { Caller } from './http/permissions.ts';
import { Problem } from './http/problem.ts';

/** SPEC §9: running executions per server and per token. 0 is any number. */
export interface RunningLimits {
  readonly perServer: number;
  readonly perToken: number;
}

interface UnderWay {
  /** How many executions are under way in this process, children too, without those that are named. */
  underWay(besides: ReadonlySet<string>): number;
  /** Settles when the execution is over here. */
  over(execution: string): Promise<unknown>;
}

/** Lets requests begin executions, as long as there is room for them. */
export interface RunningLimit {
  /** Begins an execution for a caller, or refuses to with a problem. `start` answers whether it has begun. */
  begin(caller: Caller, execution: string, start: () => Promise<boolean>): Promise<void>;
}

/** Of each token, those are counted that it began since this process did: the log does not tell who did before. */
export function createRunningLimit({ perServer, perToken }: RunningLimits, { underWay, over }: UnderWay): RunningLimit {
  const ofTokens = new Map<string, number>();
  const beginning = new Set<string>();

  function count(name: string, by: 1 | -1): void {
    const now = (ofTokens.get(name) ?? 0) + by;
    if (now === 0) ofTokens.delete(name);
    else ofTokens.set(name, now);
  }

  function demandRoom(caller: Caller): void {
    const { name } = caller;
    if (perServer > 0 && underWay(beginning) + beginning.size >= perServer) {
      throw full('limit.executions', perServer, 'the server', 'NOETL_MAX_EXECUTIONS');
    }
    if (caller.isToken && perToken > 0 && (ofTokens.get(name) ?? 0) >= perToken) {
      throw full('limit.token_executions', perToken, `the token '${name}'`, 'NOETL_MAX_EXECUTIONS_PER_TOKEN');
    }
  }

  return {
    async begin(caller, execution, start) {
      demandRoom(caller);
      const leave = (): void => count(caller.name, -1);
      count(caller.name, 1);
      beginning.add(execution);
      try {
        if (await start()) over(execution).then(leave, leave);
        else leave();
      } catch (error) {
        leave();
        throw error;
      } finally {
        beginning.delete(execution);
      }
    },
  };
}

function full(limit: string, most: number, whose: string, setting: string): Problem {
  const advice = `Wait until one is over, or cancel one; ${setting} of the server allows more.`;
  return new Problem(
    'NOETL_API_EXECUTIONS_LIMIT',
    `${limit}: ${whose} has as many executions running as it may: ${most}. ${advice}`,
    {
      limit,
      most,
    },
  );
}
