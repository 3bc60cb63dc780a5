import type { Audit, AuditEntry } from '../../ports/audit.ts';

export function createMemoryAudit(): Audit {
  const entries: AuditEntry[] = [];
  return {
    note: async (notes) => {
      for (const note of notes) entries.push({ ...note, number: entries.length + 1 });
    },
    list: async (before = Number.MAX_SAFE_INTEGER, limit) =>
      entries
        .filter(({ number }) => number < before)
        .reverse()
        .slice(0, limit),
  };
}
