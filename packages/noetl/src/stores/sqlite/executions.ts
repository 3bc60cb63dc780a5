import type { Executions } from '../../ports/executions.ts';
import type { Call } from './call.ts';

export function createSqliteExecutions(call: Call): Executions {
  return {
    get: (execution) => call('execution', execution),
    list: (filter, before, limit) => call('executions', filter, before, limit),
    unfinished: (after, limit) => call('unfinished', after, limit),
    remove: (execution) => call('removeExecution', execution),
  };
}
