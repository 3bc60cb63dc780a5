import type { ControlInputs } from '../../ports/control-inputs.ts';
import type { Call } from './call.ts';

export function createSqliteControlInputs(call: Call): ControlInputs {
  return {
    put: (execution, input, now) => call('putControlInput', execution, input, now),
    list: (after, limit, execution) => call('controlInputs', after, limit, execution),
    delete: (ids) => call('deleteControlInputs', ids),
  };
}
