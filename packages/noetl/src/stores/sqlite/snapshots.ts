import type { Snapshots } from '../../ports/snapshots.ts';
import type { Call } from './call.ts';

export function createSqliteSnapshots(call: Call): Snapshots {
  return {
    put: (snapshot) => call('putSnapshot', snapshot),
    find: (execution, format, until) => call('findSnapshot', execution, format, until),
    list: (execution) => call('snapshots', execution),
  };
}
