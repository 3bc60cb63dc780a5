import type { Audit } from '../../ports/audit.ts';
import type { Call } from './call.ts';

export function createSqliteAudit(call: Call): Audit {
  return {
    note: (entries) => call('noteAudit', entries),
    list: (before, limit) => call('auditEntries', before, limit),
  };
}
