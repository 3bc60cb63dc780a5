import type { Executions } from '../../ports/executions.ts';
import type { Call } from './call.ts';
import type { ChainProgress } from './sql/executions.ts';

export function createSqliteExecutions(call: Call): Executions {
  return {
    get: (execution) => call('execution', execution),
    list: (filter, before, limit) => call('executions', filter, before, limit),
    unfinished: (after, limit) => call('unfinished', after, limit),
    verify: async (execution) => {
      let progress: ChainProgress = { position: 0, hash: '' };
      for (;;) {
        const answer = await call('verify', execution, progress);
        if ('kind' in answer) return answer;
        progress = answer;
      }
    },
  };
}
