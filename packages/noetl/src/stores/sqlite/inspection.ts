import type { Inspection } from '../../ports/inspection.ts';
import type { Call } from './call.ts';

export function createSqliteInspection(call: Call): Inspection {
  return {
    chain: (execution, from) => call('chain', execution, from),
    indexed: (execution, loop, indexes) => call('indexed', execution, loop, indexes),
    indexSize: (execution, until) => call('indexSize', execution, until),
    sourceSize: (source) => call('sourceSize', source),
    unlisted: (execution, kind, seqs) => call('unlisted', execution, kind, seqs),
    ids: (before, limit) => call('ids', before, limit),
    strays: () => call('strays'),
  };
}
